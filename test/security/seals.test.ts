import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dataFolder } from '../../src/base/folders.ts';
import { ownIdentity, processWord } from '../../src/base/liveness.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Seals } from '../../src/core/mailbox/seals.ts';
import { deleteTask, deleteWorker, finishDeletions } from '../../src/core/sessions/deletion.ts';
import type { Workspace } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { FIRST_WORKER, SessionId, TaskName, type MessageId } from '../../src/protocol/names.ts';
import { address, hookedWorker } from '../support/hookedWorker.ts';
import { claimedBy } from '../support/claimedBy.ts';
import { makeOld } from '../support/makeOld.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { programs } from '../support/programs.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

// Agents move and copy messages below the workspace. No such move may divert a seal, or keep words that the user took back.

const session = SessionId.parse('5e551011-0000-4000-8000-00000000a07e');
const other = TaskName.parse('other');
const FROM_USER = 'from the user';

let folder: TempFolder;
let workspace: Workspace;
let launcher: string;

beforeEach(async () => {
	folder = tempFolder();
	({ workspace, launcher } = await hookedWorker(folder.path, { agent: claudeCode.id, session }));
});
afterEach(() => folder.remove());

const mailbox = () => workspace.mailbox(address);
const send = () => workspace.send(address, messageContent('Push it.'), BY_USER);
const queued = (id: string) => join(mailbox().folder, 'inbox', `${id}.md`);
const claimed = (id: string, claimer: string) => join(mailbox().folder, 'claimed', `${claimer}-${id}.md`);
const DEAD = '4194303-1';
const LIVING = processWord(ownIdentity());

/** What the agent reads after its tool calls; `''` for nothing. */
function read(): string {
	makeOld(dirname(queued('x')));
	const { stdout } = spawnSync(launcher, [claudeCode.id, 'PostToolBatch', 'boundary', folder.path], {
		input: JSON.stringify({ session_id: session, hook_event_name: 'PostToolBatch', tool_calls: [] }),
		encoding: 'utf8',
		env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: session, NANCY_HOOK_PROJECT: folder.path },
	});
	return stdout;
}

it('a copy of a waiting message in a claim takes nothing from it: taken back, it does not come from the user', async () => {
	const id = await send();
	copyFileSync(queued(id), claimed(id, DEAD));
	await mailbox().recover();
	const authors = (await mailbox().list(['queued'])).messages.map(each => `${each.id === id} ${each.author.is}`);
	expect(authors.sort()).toEqual(['false unknown', 'true human']);
	await mailbox().withdraw(id);
	expect(read()).not.toContain(FROM_USER);
});

it('another text in its place takes nothing from a message in a claim either: it keeps its id', async () => {
	const id = await send();
	renameSync(queued(id), claimed(id, DEAD));
	writeFileSync(queued(id), 'Pull it.');
	await mailbox().recover();
	const texts = (await mailbox().list(['queued'])).messages.map(each => `${each.id === id} ${each.content.text}`);
	expect(texts.sort()).toEqual(['false Pull it.', 'true Push it.']);
	await mailbox().withdraw(id);
	expect(read()).not.toContain(FROM_USER);
});

it.each<[string, (id: MessageId) => string]>([
	['in a claim of a living process', id => claimed(id, LIVING)],
	['in a claim of a dead process', id => claimed(id, DEAD)],
	['in delivered/', id => join(mailbox().folder, 'delivered', `${id}.md`)],
	['outside of the mailbox', id => folder.file(`${id}.md`)],
])('a message whose file is %s is taken back as any other, and does not come from the user again', async (_, place) => {
	const id = await send();
	renameSync(queued(id), place(id));
	expect(await nancy('withdraw', id)).toMatchObject({ stdout: expect.stringContaining(`withdrew ${id}`) });
	renameSync(place(id), queued(id));
	expect(read()).not.toContain(FROM_USER);
});

it('a message is taken back also where another text is in its place', async () => {
	const id = await send();
	renameSync(queued(id), claimed(id, LIVING));
	writeFileSync(queued(id), 'Pull it.');
	await nancy('withdraw', id);
	renameSync(claimed(id, LIVING), queued(id));
	expect(read()).not.toContain(FROM_USER);
});

it('nobody is told that an agent has read what Nancy has not delivered', async () => {
	const id = 'note';
	mkdirSync(join(mailbox().folder, 'delivered'), { recursive: true });
	writeFileSync(join(mailbox().folder, 'delivered', `${id}.md`), 'Push it.');
	const { stderr } = await nancy('withdraw', id);
	expect(stderr).toContain('Nancy has no record');
	expect(stderr).not.toContain('has read');
});

it('what a hook hands over at this moment is not taken back, and is once the hook has died or given it up', async () => {
	const id = await send();
	const [claim] = await mailbox().claim(() => 'take');
	expect((await nancy('withdraw', id)).stderr).toContain('is being delivered at this moment');
	claim?.release();
	expect((await nancy('withdraw', id)).stdout).toMatch(new RegExp(`^withdrew ${id} \\(\\S+\\)\n$`));

	const again = await send();
	await mailbox().claim(() => 'take');
	claimedBy(workspace.seals(address), claimed(again, LIVING), DEAD);
	expect((await nancy('withdraw', again)).stdout).toMatch(new RegExp(`^withdrew ${again}.*may have read it before`));
	expect(read()).toBe('');
});

it('what is taken back between the claim of a hook and its handing over is handed over to nobody', async () => {
	const id = await send();
	const hand = vi.spyOn(Seals.prototype, 'hand').mockImplementationOnce(function (this: Seals, ...args) {
		expect(this.withdraw(id)).toBe(true);
		hand.mockRestore();
		return this.hand(...args);
	});
	expect(await mailbox().claim(() => 'take')).toEqual([]);
	expect((await mailbox().list()).messages).toMatchObject([{ id, state: 'withdrawn', author: BY_USER }]);
});

it('what was taken back is handed over to nobody, also if somebody puts its file into the inbox again', async () => {
	const id = await send();
	await mailbox().withdraw(id);
	const again = () => renameSync(join(mailbox().folder, 'withdrawn', `${id}.md`), queued(id));
	again();
	makeOld(dirname(queued(id)));
	expect(read()).toBe('');
	again();
	await mailbox().recover();
	expect((await mailbox().list()).messages).toMatchObject([{ id, state: 'withdrawn', author: BY_USER }]);
	expect((await mailbox().list()).messages).toMatchObject([{ id, state: 'withdrawn', author: BY_USER }]);
});

it.each(['delivered', 'archive', 'withdrawn'])(
	'a message keeps its id, whatever has its name in %s, and can be taken back until it is handed over',
	async place => {
		const id = await send();
		const planted = join(mailbox().folder, place, `${id}.md`);
		const plant = () => (mkdirSync(dirname(planted), { recursive: true }), writeFileSync(planted, 'Pull it.'));
		plant();
		const [claim] = await mailbox().claim(() => 'take');
		expect(claim).toMatchObject({ id, author: BY_USER });
		claim?.release();
		plant();
		expect((await nancy('withdraw', id)).stdout).toContain(`withdrew ${id}`);
		expect(read()).not.toContain(FROM_USER);
		const { messages } = await mailbox().list();
		expect(messages).toContainEqual(expect.objectContaining({ id, state: 'withdrawn', author: BY_USER }));
		expect(messages.filter(each => each.content.text === 'Pull it.')).toMatchObject([
			{ author: { is: 'unknown' } },
		]);
	},
);

it('a folder in the place of a receipt or of a delivered message keeps nothing from being filed', async () => {
	const id = await send();
	const places = [`${id}.md`, `${id}.receipt.json`].map(name => join(mailbox().folder, 'delivered', name));
	for (const each of places) mkdirSync(join(each, 'x'), { recursive: true });
	expect(read()).toContain(FROM_USER);
	expect((await mailbox().list()).messages).toMatchObject([{ id, state: 'delivered', receipt: { id } }]);
	expect(await send().then(read)).toContain(FROM_USER);
});

it('a folder in the place of what Nancy notes about a message holds nothing up', async () => {
	const id = await send();
	for (const note of [`inbox/${id}.held`, `claimed/${id}.returns`])
		mkdirSync(join(mailbox().folder, note, 'x'), { recursive: true });
	renameSync(queued(id), claimed(id, DEAD));
	expect(read()).toContain(FROM_USER);
	expect((await mailbox().list()).messages).toMatchObject([
		{ id, state: 'delivered', receipt: { earlierClaims: 1 } },
	]);
});

it.each<[string, () => Promise<void>]>([
	['task', () => deleteTask(workspace, address.task)],
	['worker', () => deleteWorker(workspace, address)],
])(
	'the words of a deleted %s do not come from the user, also if an agent makes its folders again at once',
	async (_, remove) => {
		const id = await send();
		const kept = folder.file('kept');
		cpSync(workspace.paths.task(address.task), kept, { recursive: true });
		const loop = spawn('sh', ['-c', 'while :; do mkdir -p "$0"; done', dirname(queued(id))], { stdio: 'ignore' });
		await remove();
		loop.kill('SIGKILL');
		await once(loop, 'exit');
		cpSync(kept, workspace.paths.task(address.task), { recursive: true });
		expect((await mailbox().list(['queued'])).messages).toMatchObject([{ id, author: { is: 'unknown' } }]);
		expect(read()).not.toContain(FROM_USER);
	},
);

it('the words of a task whose folder was removed by hand go by the person’s deletion, and not by themselves', async () => {
	const id = await send();
	const [kept, folderOfTask] = [folder.file('kept'), workspace.paths.task(address.task)];
	const remove = () => rmSync(folderOfTask, { recursive: true });
	const bringBack = () => cpSync(kept, folderOfTask, { recursive: true });
	cpSync(folderOfTask, kept, { recursive: true });
	remove();
	await finishDeletions(workspace);
	bringBack();
	expect((await mailbox().list(['queued'])).messages).toMatchObject([{ id, author: BY_USER }]);
	remove();
	expect(await nancy('delete', address.task)).toMatchObject({ stdout: `deleted ${address.task}\n` });
	expect((await nancy('delete', address.task)).stderr).toContain('there is no task');
	bringBack();
	expect((await mailbox().list(['queued'])).messages).toMatchObject([{ id, author: { is: 'unknown' } }]);
});

it('a mailbox that is moved away for a moment keeps its seals', async () => {
	const id = await send();
	const away = folder.file('away');
	renameSync(mailbox().folder, away);
	await finishDeletions(workspace);
	await workspace.createTask(taskRecord(other, claudeCode.id));
	await deleteTask(workspace, other);
	renameSync(away, mailbox().folder);
	renameSync(queued(id), join(mailbox().folder, 'delivered', `${id}.md`));
	expect((await mailbox().list(['delivered'])).messages).toEqual([]);
	await mailbox().recover();
	expect((await mailbox().list()).messages).toMatchObject([{ id, state: 'queued', author: BY_USER }]);
});

it('a receipt that nothing sealed is not shown', async () => {
	const delivered = (ending: string) => join(mailbox().folder, 'delivered', `note${ending}`);
	const receipt = {
		version: 1,
		id: 'note',
		deliveredAt: '2026-01-01T00:00:00.000Z',
		event: 'Stop',
		driver: claudeCode.id,
	};
	mkdirSync(dirname(delivered('')), { recursive: true });
	writeFileSync(delivered('.md'), 'Push it.');
	writeFileSync(delivered('.receipt.json'), JSON.stringify({ ...receipt, session, rung: 'hook', earlierClaims: 0 }));
	const { messages, problems } = await mailbox().list(['delivered']);
	expect([messages.length, messages[0]?.author.is, messages[0]?.receipt, problems]).toEqual([
		1,
		'unknown',
		undefined,
		[],
	]);
});

async function nancy(...args: string[]): Promise<{ stdout: string; stderr: string }> {
	const { cli } = await programs();
	return spawnSync(process.execPath, [cli, ...args], {
		cwd: folder.path,
		encoding: 'utf8',
		env: { PATH: process.env['PATH'], XDG_DATA_HOME: dirname(dataFolder()) },
	});
}

it('a mailbox keeps its words from the next worker, though the record of its worker was removed', async () => {
	await send();
	rmSync(join(workspace.paths.workers(address.task), `${address.worker}.json`));
	expect(await workspace.nextWorker(address.task)).not.toBe(address.worker);
});

it('words that are sent ahead to the first worker of a task are for that one', async () => {
	await workspace.createTask(taskRecord(other, claudeCode.id));
	await workspace.send({ task: other, worker: FIRST_WORKER }, messageContent('Push it.'), BY_USER);
	expect(await workspace.nextWorker(other)).toBe(FIRST_WORKER);
});

it('a mailbox keeps its words from the next delegate, too', async () => {
	const delegates = new Delegates(workspace);
	const { task } = address;
	const worker = await delegates.nextWorker(task);
	await workspace.send({ task, worker }, messageContent('Push it.'), BY_USER);
	expect(await delegates.nextWorker(task)).not.toBe(worker);
});
