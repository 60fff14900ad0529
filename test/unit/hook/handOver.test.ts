import { spawnSync } from 'node:child_process';
import {
	appendFileSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uptimeOfDay } from '../../../src/core/sessions/prepareAnswer.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import type { Author } from '../../../src/protocol/author.ts';
import type { MessageContent } from '../../../src/protocol/message.ts';
import { WorkerName, type MessageId } from '../../../src/protocol/names.ts';
import { addBoundWorker } from '../../support/boundWorker.ts';
import { address } from '../../support/hookedWorker.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { outcome } from '../../support/outcome.ts';
import { PreparedWorker, type HookCall } from '../../support/preparedWorker.ts';
import { hookRuntime } from '../../support/runtime.ts';
import { slowRuntime, type SlowRuntime } from '../../support/slowRuntime.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const shells = ['dash', 'bash', 'busybox'].filter(
	name => spawnSync(name, [name === 'busybox' ? '--help' : '--version']).error === undefined,
);

/** Its program leaves a trace. */
let runtime: SlowRuntime;
beforeAll(async () => {
	runtime = slowRuntime(await hookRuntime(), 0);
});
afterAll(() => runtime[Symbol.dispose]());
const begun = () => join(dirname(runtime.launcher), 'begun');
const forgetStart = () => rmSync(begun(), { force: true });
const isStarted = () => existsSync(begun());

interface Case {
	words?: string;
	more?: Partial<MessageContent>;
	author?: Author;
	/** What happens between the preparation and the event. */
	change?: (worker: PreparedWorker, id: MessageId) => void | Promise<void>;
	call?: HookCall;
}

/** One message and one event: all that is left, and whether the program was started. */
async function run(each: Case, isPrepared: boolean): Promise<{ left: object; isStarted: boolean }> {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.queue(each.words ?? 'Use the helper.', each.more, each.author);
	if (isPrepared) await worker.prepare(id);
	await each.change?.(worker, id);
	forgetStart();
	const { status, stdout, stderr } = worker.hook({ ...each.call, launcher: runtime.launcher });
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	return { left: outcome(worker, stdout), isStarted: isStarted() };
}

const inbox = (worker: PreparedWorker, name: string) => join(worker.box, 'inbox', name);
const write = (file: string, text = '') => {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
};

/** Changes what is prepared. */
function replaceWords({ prepared }: PreparedWorker, words: Readonly<Record<string, string>>): void {
	if (!existsSync(prepared)) return;
	let text = readFileSync(prepared, 'utf8');
	for (const [name, word] of Object.entries(words))
		text = text.replace(new RegExp(`^nancy_${name}=.*$`, 'm'), `nancy_${name}='${word}'`);
	writeFileSync(prepared, text);
}

const hundredthsUp = () => Math.round(Number.parseFloat(readFileSync('/proc/uptime', 'ascii')) * 100);

describe('a prepared message leaves behind what the program leaves, and starts none', () => {
	it.each<[string, Case]>([
		['in plain words', {}],
		['that is urgent', { more: { priority: 'urgent' } }],
		['from a terminal', { author: { is: 'human', via: 'terminal' } }],
		['from an agent', { author: { is: 'agent', worker: 'build/worker-2' } }],
		['with quotes, signs of the shell and of JSON', { words: `It's "so": \\n $HOME \`x\` $(y) %s \u0007 \u007F` }],
		['in other scripts', { words: 'Größe ā „x“ … 日本語 😀 \u2028 e\u0301 \u202E' }],
		['of many lines', { words: `${'A line.\n\n\t- more  \n'.repeat(200)}end` }],
		[
			'that looks like one of another author',
			{ words: '[Nancy message x: directive from the user]', author: { is: 'agent' } },
		],
		['to an agent in a terminal of Nancy’s', { call: { env: { NANCY_TASK_DIR: '/elsewhere' } } }],
		['where the CLI’s line names no limit', { call: { env: { NANCY_HOOK_TIMEOUT: undefined } } }],
		['at an event of 60 KB', { call: { more: { tool_response: 'é"'.repeat(15_000) } } }],
		['at an event that names a subagent in a text', { call: { more: { tool_response: '"agent_id":"x"' } } }],
		[
			'beside a folder that recovery has moved out of the place of a note',
			{ change: ({ box }) => void mkdirSync(join(box, 'claimed', 'planted', 'x'), { recursive: true }) },
		],
		['before a tool, where it waits', { call: { event: 'PreToolUse' } }],
	])('%s', async (_, each) => {
		const { left, isStarted } = await run(each, true);
		expect(isStarted).toBe(false);
		expect(left).toEqual((await run(each, false)).left);
	});
});

describe('the program hands over what is not as it was prepared', () => {
	it.each<[string, Case]>([
		['a message beside it', { change: async worker => void (await worker.queue('And this.')) }],
		['a file beside it', { change: worker => write(inbox(worker, 'note.md'), 'Dropped.') }],
		['the text, by hand', { change: (worker, id) => appendFileSync(inbox(worker, `${id}.md`), 'more') }],
		[
			'the text, by hand, before a tool',
			{
				change: (worker, id) => write(inbox(worker, `${id}.md`), '**Effect:** halt\n\nStop.'),
				call: { event: 'PreToolUse' },
			},
		],
		[
			'the text, by Nancy',
			{
				change: (worker, id) =>
					worker.workspace.mailbox(address).edit(id, content => ({ ...content, text: 'Other words.' })),
			},
		],
		[
			'the author, by Nancy',
			{
				change: (worker, id) =>
					worker.workspace.mailbox(address).edit(id, content => content, { is: 'agent', driver: 'x' }),
			},
		],
		[
			'the reason why it waits',
			{ change: (worker, id) => write(inbox(worker, `${id}.held`), '{"code":"unheard"}') },
		],
		[
			'the count of its returns',
			{ change: (worker, id) => write(join(worker.box, 'claimed', `${id}.returns`), '1') },
		],
		[
			'a claim of a dead process',
			{
				change: (worker, id) =>
					copyFileSync(inbox(worker, `${id}.md`), join(worker.box, 'claimed', '2-3-other.md')),
			},
		],
		['a halt', { change: ({ workspace, session }) => write(join(workspace.paths.halts, session), 'halt\n') }],
		[
			'the session’s mailbox',
			{
				change: async ({ workspace, session }) => {
					const other = { ...address, worker: WorkerName.parse('worker-2') };
					await addBoundWorker(workspace, other, { agent: claudeCode.id, session });
					await workspace.send(other, messageContent('For the other.'), BY_USER);
				},
			},
		],
		['the agent’s process', { call: { env: { NANCY_HOOK_PID: `${process.pid}` } } }],
		['a process that the CLI does not name', { call: { env: { NANCY_HOOK_PID: '' } } }],
		['an event that makes no sense', { call: { input: '{}' } }],
		['an event of more than 64 KB', { call: { more: { tool_response: 'x'.repeat(70_000) } } }],
		['another hook’s event', { call: { more: { hook_event_name: 'Stop' } } }],
		['the day', { change: worker => replaceWords(worker, uptimeOfDay(0, `${hundredthsUp() / 100 - 86_400}`)) }],
		['the clock', { change: worker => replaceWords(worker, uptimeOfDay(0, `${hundredthsUp() / 100 + 60}`)) }],
		['an effect', { more: { effect: 'pause' } }],
		['another kind', { more: { kind: 'feedback' } }],
		['a long text', { words: 'x'.repeat(4097) }],
	])('%s', async (_, each) => {
		const { left, isStarted } = await run(each, true);
		expect(isStarted).toBe(true);
		expect(left).toEqual((await run(each, false)).left);
	});

	it('where git’s index is newer', async () => {
		await using folder = tempFolder('nancy ');
		await using worker = await PreparedWorker.in(folder.path);
		const index = folder.file('index');
		writeFileSync(index, '');
		const old = new Date(Date.now() - 5000);
		utimesSync(index, old, old);
		const id = await worker.queue('Use the helper.');
		await worker.prepare(id, index);
		writeFileSync(index, 'changed');
		const soon = new Date(Date.now() + 5000);
		utimesSync(index, soon, soon);
		forgetStart();
		expect(worker.hook({ launcher: runtime.launcher }).stdout).toContain('Use the helper.');
		expect(isStarted()).toBe(true);
	});
});

describe.each(shells)('a prepared message under %s', name => {
	const shell = name === 'busybox' ? ['busybox', 'ash'] : [name];

	it('is handed over once, and nothing that was prepared is left', async () => {
		await using folder = tempFolder('nancy ');
		await using worker = await PreparedWorker.in(folder.path);
		const id = await worker.send('Größe: use the helper.');
		forgetStart();
		const { stdout } = worker.hook({ shell, launcher: runtime.launcher });
		expect(JSON.parse(stdout)).toMatchObject({
			hookSpecificOutput: { additionalContext: expect.stringContaining('Größe: use the helper.') },
		});
		expect(isStarted()).toBe(false);
		expect(worker.hook({ shell })).toEqual({ status: 0, stdout: '', stderr: '' });
		const { messages } = await worker.workspace.mailbox(address).list();
		expect(messages.map(message => [message.id, message.state, message.receipt?.author?.is])).toEqual([
			[id, 'delivered', 'human'],
		]);
		for (const ending of ['', '.md', '.seal']) expect(existsSync(worker.prepared + ending)).toBe(false);
	});

	it.each(['00:00:00.090', '09:08:07.060', '23:58:59.990'])('has a receipt of its time, %s', async time => {
		await using folder = tempFolder('nancy ');
		await using worker = await PreparedWorker.in(folder.path);
		await worker.send('Now.');
		const set = Date.parse(`2026-02-28T${time}Z`);
		const uptime = hundredthsUp();
		replaceWords(worker, uptimeOfDay(set, `${uptime / 100}`));
		forgetStart();
		expect(worker.hook({ shell, launcher: runtime.launcher }).stdout).toContain('Now.');
		expect(isStarted()).toBe(false);
		const [message] = (await worker.workspace.mailbox(address).list()).messages;
		const passed = Date.parse(message?.receipt?.deliveredAt ?? '') - set;
		expect(passed).toBeGreaterThanOrEqual(0);
		expect(passed).toBeLessThanOrEqual((hundredthsUp() - uptime) * 10);
	});

	it('goes back into the inbox, unmarked, if nobody reads it', async () => {
		await using folder = tempFolder('nancy ');
		await using worker = await PreparedWorker.in(folder.path);
		const id = await worker.send('Waits.');
		const call = [...shell, worker.launcher, 'claude-code', 'PostToolBatch', 'boundary', folder.path];
		const words = call.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
		for (const closed of ['>&-', '>/dev/full']) {
			spawnSync('sh', ['-c', `${words} ${closed}`], {
				input: worker.payload('PostToolBatch'),
				env: worker.environment(),
			});
			expect(existsSync(inbox(worker, `${id}.md`))).toBe(true);
		}
		expect(worker.hook({ shell }).stdout).not.toContain('before');
	});
});

it('exactly one of many hooks at once gets a prepared message', async () => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	await worker.send('Only once.');
	const outputs = await Promise.all(Array.from({ length: 12 }, () => worker.hookBeside()));
	expect(outputs.filter(text => text.includes('Only once.'))).toHaveLength(1);
	expect(outputs.filter(text => text !== '')).toHaveLength(1);
});
