import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DelegateMirror } from '../../../../src/core/delegates/delegateMirror.ts';
import { hasSwarm } from '../../../../src/core/delegates/swarm.ts';
import { ORCHESTRATOR } from '../../../../src/protocol/names.ts';
import { DelegateRoom } from '../../../support/delegateRoom.ts';
import { finish, reconcile } from '../../../../src/core/delegates/ending.ts';
import { filesBelow } from '../../../support/gitRepository.ts';

let room: DelegateRoom;
let workers: string;

beforeEach(() => {
	room = new DelegateRoom();
	workers = join(room.workspace.folder, '.claude/orchestrator/workers');
});
afterEach(() => room.folder.remove());

/** What a repository, or an agent, can put where Nancy looks for a file. */
const OTHERS = {
	'a link to what never ends': file => symlinkSync('/dev/zero', file),
	'a link to somebody else’s file': file => {
		writeFileSync(room.folder.file('secret'), 'success\nthe secret');
		symlinkSync(room.folder.file('secret'), file);
	},
	'a pipe that nobody writes to': file => execFileSync('mkfifo', [file]),
	'a folder': file => mkdirSync(file),
	'a file without an end in sight': file => {
		writeFileSync(file, '');
		truncateSync(file, 2 ** 31);
	},
} satisfies Record<string, (file: string) => void>;

describe.each(Object.entries<(file: string) => void>(OTHERS))('%s', (_, put) => {
	it.each(['done', 'status', 'json'] as const)(
		'is no .%s of a delegate, and keeps no other from being listed',
		async ending => {
			const { record } = await room.queue();
			const other = await room.queue();
			const file = `${room.delegates.files(record.id).base}.${ending}`;
			rmSync(file, { force: true });
			put(file);
			const { delegates, problems } = await room.delegates.list();
			expect(delegates.map(each => each.record.id)).toEqual([other.record.id]);
			// What is not even listed as a file is not read at all.
			for (const problem of problems) expect(`${problem.file}: ${problem.reason}`).toContain(file);
			const mirror = new DelegateMirror(room.delegates, room.tickets);
			await mirror.read();
			expect(mirror.all().map(each => each.record.id)).toEqual([other.record.id]);
		},
	);

	it.each(['done', 'status'])('tells nothing as the .%s of a swarm’s worker', async ending => {
		mkdirSync(workers, { recursive: true });
		writeFileSync(join(workers, 'login.prompt'), 'Log in.');
		put(join(workers, `login.${ending}`));
		const { delegates } = await room.delegates.list();
		expect(delegates).toMatchObject([{ isForeign: true, state: 'running', record: { title: 'login' } }]);
	});
});

it('an answer behind a link is none, and its text gets to nobody', async () => {
	const delegate = await room.queue();
	await finish(room.delegates, delegate, { ok: true, output: 'The answer.' });
	const { id, task } = delegate.record;
	rmSync(delegate.files.output);
	OTHERS['a link to somebody else’s file'](delegate.files.output);
	const found = await room.delegates.get(id);
	expect(found).toMatchObject({ state: 'failed', error: 'it ended well, but its answer is not there' });
	expect(await found.files.readAnswer()).toBe('');
	await room.delegates.locked(() => reconcile(room.delegates, [found]));
	const { messages } = await room.workspace.mailbox({ task, worker: ORCHESTRATOR }).list();
	expect(messages.map(({ content }) => content.text).join()).not.toContain('secret');
});

it('a prompt behind a link is none', async () => {
	const { record, files } = await room.queue();
	renameSync(files.prompt, room.folder.file('elsewhere'));
	symlinkSync(room.folder.file('elsewhere'), files.prompt);
	expect(await room.tickets.isValid(record.id, room.delegates.filesOfRequest(record.id))).toBe(false);
});

it.each(['.claude', '.claude/orchestrator', '.claude/orchestrator/workers'])(
	'a swarm behind the link %s is none of the folder’s',
	async at => {
		mkdirSync(workers, { recursive: true });
		writeFileSync(join(workers, 'login.done'), 'success');
		expect((await room.delegates.list()).delegates).toHaveLength(1);
		const link = join(room.workspace.folder, at);
		renameSync(link, room.folder.file('elsewhere'));
		symlinkSync(room.folder.file('elsewhere'), link);
		expect(hasSwarm(room.workspace.folder)).toBe(false);
		expect((await room.delegates.list()).delegates).toEqual([]);
	},
);

it.each(['.nancy', 'delegates'])('nothing of a run is written through %s that became a link meanwhile', async name => {
	const { files, status } = await room.queue();
	const { paths } = room.workspace;
	const folder = name === '.nancy' ? paths.root : paths.delegates;
	const elsewhere = room.folder.file('elsewhere');
	renameSync(folder, elsewhere);
	symlinkSync(elsewhere, folder);
	const before = filesBelow(elsewhere);
	const writes = await Promise.allSettled([
		files.appendLog('said'),
		files.begin('another prompt'),
		files.writeStatus(status),
		files.writeOutput('answer'),
		files.writeDone(undefined),
		files.remove(),
	]);
	for (const write of writes) expect(write).toMatchObject({ status: 'rejected', reason: { code: 'bad-file' } });
	expect(filesBelow(elsewhere)).toEqual(before);
});
