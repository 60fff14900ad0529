import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workspace, type WorkerAddress } from '../../../src/core/workspace/workspace.ts';
import { commandLine } from '../../../src/drivers/claude-code/deployment.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { SessionId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { addBoundWorker } from '../../support/boundWorker.ts';
import { eventually } from '../../support/eventually.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { roundsOr } from '../../support/rounds.ts';
import { hookRuntime, installedRuntime } from '../../support/runtime.ts';
import { cannotMount } from '../../support/skipped.ts';
import { slowRuntime } from '../../support/slowRuntime.ts';
import { taskRecord } from '../../support/taskRecord.ts';

const run = promisify(execFile);

/** At the same time: 100 when asked for. */
const HOOKS = Math.min(100, roundsOr(15));
/** More than they hand over. */
const MESSAGES = 10 * HOOKS;

let folder: string;
let workspace: Workspace;
let launcher: string;
/** Stand in for the two agents: a hook asks whether its own still lives. */
let agents: ReturnType<typeof spawn>[];
const task = TaskName.parse('login');
const first = {
	task,
	worker: WorkerName.parse('worker'),
	session: SessionId.parse('aaaaaaaa-0000-4000-8000-000000000001'),
};
const second = {
	task,
	worker: WorkerName.parse('worker-2'),
	session: SessionId.parse('bbbbbbbb-0000-4000-8000-000000000002'),
};

beforeEach(async () => {
	launcher = await hookRuntime();
	agents = [first, second].map(() => spawn('sleep', ['300']));
	folder = await mkdtemp(join(tmpdir(), 'nancy-faults-'));
	workspace = new Workspace(folder);
	const agent = claudeCode.id;
	await workspace.createTask(taskRecord(task, agent));
	for (const { worker, session } of [first, second])
		await addBoundWorker(workspace, { task, worker }, { agent, session, agentVersion: '2.1.329' });
});
afterEach(async () => {
	for (const agent of agents) agent.kill();
	await rm(folder, { recursive: true, force: true });
});

interface Ended {
	code: number | null;
	stdout: string;
	stderr: string;
}

/** Runs the deployed hook as the agent does, with an event on its standard input. */
function hook(
	session: SessionId,
	event: string,
	slot: string,
	more: Record<string, unknown> = {},
	killAfterMs?: number,
): Promise<Ended> {
	return new Promise((resolve, reject) => {
		const child = spawn(launcher, ['claude-code', event, slot, folder], {
			env: {
				PATH: process.env['PATH'],
				NANCY_HOOK_SESSION: session,
				NANCY_HOOK_PID: `${agents[session === second.session ? 1 : 0]?.pid}`,
				NANCY_HOOK_PROJECT: folder,
			},
			detached: true,
		});
		const output = { stdout: '', stderr: '' };
		child.stdout.on('data', (data: Buffer) => (output.stdout += data.toString()));
		child.stderr.on('data', (data: Buffer) => (output.stderr += data.toString()));
		child.stdin.on('error', () => undefined);
		child.on('error', reject);
		child.on('close', code => resolve({ code, ...output }));
		child.stdin.end(
			JSON.stringify({
				session_id: session,
				transcript_path: '/nowhere/t.jsonl',
				cwd: folder,
				permission_mode: 'default',
				hook_event_name: event,
				tool_calls: [],
				tool_name: 'Bash',
				tool_input: { command: 'ls' },
				tool_use_id: `toolu_${Math.random()}`,
				stop_hook_active: false,
				...more,
			}),
		);
		if (killAfterMs !== undefined) {
			setTimeout(() => {
				if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
			}, killAfterMs);
		}
	});
}

const bash = (session: SessionId, killAfterMs?: number) => hook(session, 'PostToolBatch', 'boundary', {}, killAfterMs);

const put = (address: WorkerAddress, text: string) => workspace.mailbox(address).put(messageContent(text), BY_USER);

/** The one-word messages that hooks handed over. */
const words = (ended: readonly Ended[]) =>
	ended.flatMap(({ stdout }) => (stdout === '' ? '' : contextIn(stdout)).match(/^[mn]\d+$/gm) ?? []);

function contextIn(stdout: string): string {
	const answer: unknown = JSON.parse(stdout);
	const { additionalContext } = (answer as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput;
	return additionalContext;
}

/** Runs the line that the CLI hands to `sh`, and reads what a CLI reads: until half a second after that shell has ended. */
async function asTheCliDoes(program: string, whenBegun: (shell: number) => Promise<void>): Promise<string> {
	const line = commandLine({ event: 'PostToolBatch', slot: 'boundary' }, program, folder);
	const child = spawn('/bin/sh', ['-c', line], {
		env: {
			PATH: process.env['PATH'],
			CLAUDE_CODE_SESSION_ID: first.session,
			CLAUDE_PID: `${agents[0]?.pid}`,
			CLAUDE_PROJECT_DIR: folder,
		},
	});
	let read = '';
	child.stdout.on('data', (data: Buffer) => (read += data.toString()));
	child.stdin.on('error', () => undefined);
	child.stdin.end(
		JSON.stringify({
			session_id: first.session,
			hook_event_name: 'PostToolBatch',
			tool_calls: [],
		}),
	);
	const ended = new Promise(resolve => child.once('exit', resolve));
	await whenBegun(child.pid ?? 0);
	await ended;
	await sleep(500);
	// What comes later it takes from the pipe too, and throws away.
	return read;
}

describe('a hook that is too late for its CLI', () => {
	it.each(['the guard', 'the shell around it'])(
		'hands nothing over where %s was killed while the program starts',
		async who => {
			using slow = slowRuntime(launcher);
			await put(first, 'm1');
			const read = await asTheCliDoes(slow.launcher, async shell => {
				const guard = await eventually('the program is about to start', slow.pid);
				process.kill(who === 'the guard' ? guard : shell, 'SIGKILL');
			});
			slow.open();
			await eventually('nothing runs any more', slow.hasEnded);
			// A program that outlived its guard would start meanwhile.
			await sleep(1500);
			expect(read).toBe('');
			const { messages } = await workspace.mailbox(first).list();
			expect(messages).toMatchObject([{ state: 'queued' }]);
			expect((await bash(first.session)).stdout).toContain('m1');
		},
	);

	it('is none where nothing happens to it', async () => {
		using slow = slowRuntime(launcher, 0.1);
		await put(first, 'm1');
		expect(await asTheCliDoes(slow.launcher, () => Promise.resolve())).toContain('m1');
	});

	it('hands nothing over where its program was started after the time that the agent waits', async () => {
		using slow = slowRuntime(launcher, 3.1);
		await put(first, 'm1');
		expect(await asTheCliDoes(slow.launcher, () => Promise.resolve())).toBe('');
		expect((await workspace.mailbox(first).list()).messages).toMatchObject([{ state: 'queued' }]);
		expect((await bash(first.session)).stdout).toContain('m1');
	});
});

describe('a hook whose program crashes', () => {
	it.each([
		['as it starts', '}{'],
		['by a signal', 'process.abort();'],
	])('%s ends with an error that blocks nothing, says nothing and keeps the message', async (_when, program) => {
		const broken = await installedRuntime(join(folder, 'broken'));
		await writeFile(join(broken.folder, 'hook', 'claude-code.js'), program);
		await put(first, 'm1');
		const whole = launcher;
		launcher = broken.launcher;
		const { code, ...said } = await bash(first.session);
		// Claude Code shows an error for every code but 0, and takes 2 for a refusal.
		expect([1, null]).toContain(code);
		expect(said).toEqual({ stdout: '', stderr: '' });
		launcher = whole;
		expect((await bash(first.session)).stdout).toContain('m1');
	});
});

describe('hooks under fire', () => {
	it('let a spool that nobody collects grow only so far, and say so', async () => {
		const names = Array.from({ length: 17 }, (_, count) => `claude-code~Stop~${count}.json`);
		for (const name of names) {
			const file = join(workspace.paths.spool, name);
			await writeFile(file, '{}');
			// Without blocks on the disk.
			await truncate(file, 64 * 2 ** 20);
		}
		const { code, stdout } = await hook(first.session, 'SessionStart', 'program', { source: 'startup' });
		expect({ code, answered: stdout.includes('watchPaths') }).toEqual({ code: 0, answered: true });
		const left = await readdir(workspace.paths.spool);
		expect(left.filter(name => names.includes(name))).toHaveLength(11);
		const noted = left.filter(name => name.endsWith('-note.json'));
		const [note = ''] = await Promise.all(noted.map(name => readFile(join(workspace.paths.spool, name), 'utf8')));
		expect(JSON.parse(note)).toMatchObject({
			nancy: 'trouble',
			reason: expect.stringContaining('dropped the 6 oldest'),
		});
	});

	it(`hands each of ${MESSAGES} messages to exactly one of ${HOOKS} hooks, and none to the other worker`, async () => {
		for (let n = 0; n < MESSAGES; n++) await put(first, `m${n}`);
		for (let n = 0; n < 50; n++) await put(second, `n${n}`);

		const sessions = Array.from({ length: HOOKS }, (_, n) => (n % 10 === 0 ? second.session : first.session));
		const ended = await Promise.all(sessions.map(session => bash(session)));

		expect(ended.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([]);
		const toFirst = words(ended.filter((_, n) => sessions[n] === first.session));
		const toSecond = words(ended.filter((_, n) => sessions[n] === second.session));
		expect(toFirst.filter(word => word.startsWith('n'))).toEqual([]);
		expect(toSecond.filter(word => word.startsWith('m'))).toEqual([]);
		expect(new Set(toFirst).size).toBe(toFirst.length);
		expect(new Set(toSecond).size).toBe(toSecond.length);

		// A hook that came to its time limit has handed over nothing, and its messages go to the next one.
		for (const address of [first, second]) {
			const printed = address === first ? toFirst : toSecond;
			const total = address === first ? MESSAGES : 50;
			printed.push(...words([await bash(address.session)]));
			expect(printed.length).toBeGreaterThan(20);
			expect(new Set(printed).size).toBe(printed.length);
			const { messages, problems } = await workspace.mailbox(address).list();
			expect(problems).toEqual([]);
			expect(messages).toHaveLength(total);
			const delivered = messages.filter(({ state, receipt }) => state === 'delivered' && receipt);
			expect(delivered.map(({ content }) => content.text).sort()).toEqual(printed.toSorted());
			expect(messages.filter(({ state }) => state === 'queued')).toHaveLength(total - printed.length);
		}
	});

	it('loses nothing and files nothing twice when hooks are killed at any moment', async () => {
		const texts = Array.from({ length: 30 }, (_, n) => `m${n}`);
		for (const text of texts) await put(first, text);
		// From before Node has started to after the hook has ended.
		for (let round = 0; round < 24; round++) {
			await bash(first.session, 5 + round * 8);
			// The group was sent the signal; its processes end a moment later.
			const { messages, problems } = await eventually('no claim left', async () => {
				await workspace.mailbox(first).recover();
				const listing = await workspace.mailbox(first).list();
				return listing.messages.every(({ state }) => state !== 'claimed') && listing;
			});
			expect(problems).toEqual([]);
			expect(messages.map(({ content }) => content.text).sort()).toEqual([...texts].sort());
			for (const { state, receipt } of messages) expect(state).toBe(receipt ? 'delivered' : 'queued');
			if (messages.some(({ state }) => state === 'queued')) continue;
			texts.push(`m${100 + round}`);
			await put(first, `m${100 + round}`);
		}
	});

	it('keeps a five megabyte event whole, with and without a message', async () => {
		const big = { tool_input: { command: 'x'.repeat(5_000_000) } };
		await hook(first.session, 'PostToolBatch', 'boundary', big);
		await put(first, 'm1');
		const { stdout } = await hook(first.session, 'PostToolBatch', 'boundary', big);

		expect(stdout).toContain('m1');
		const names = (await readdir(workspace.paths.spool)).filter(name => name.includes('PostToolBatch'));
		const { stdout: sizes } = await run('stat', [
			'-c',
			'%s',
			...names.map(name => join(workspace.paths.spool, name)),
		]);
		expect(
			sizes
				.trim()
				.split('\n')
				.filter(size => Number(size) > 5_000_000),
		).toHaveLength(2);
	});

	it('is silent and well in a workspace full of garbage', async () => {
		for (const place of [
			'',
			'spool',
			'sessions',
			'tasks',
			'bells',
			'traffic',
			'phases',
			'tasks/login',
			'tasks/login/comms/worker/inbox',
		]) {
			const at = join(workspace.paths.root, place);
			await mkdir(join(at, 'a folder.md'), { recursive: true });
			await writeFile(join(at, 'x'.repeat(200)), Buffer.from([0, 255, 10, 13, 34]));
			await writeFile(join(at, 'bytes.md'), Buffer.from([0xff, 0xfe, 0x00, 0x01]));
			await symlink('/etc', join(at, 'link.md'));
			await symlink('/nonexistent', join(at, 'dangling.md'));
		}
		await writeFile(join(workspace.paths.sessions, 'cccccccc'), '../../../../etc\nwatched\n');
		await put(first, 'm1');

		expect((await bash(first.session)).stdout).toContain('m1');
		for (const [event, slot] of [
			['PostToolBatch', 'boundary'],
			['Stop', 'end'],
			['UserPromptSubmit', 'turn'],
		] as const) {
			expect(await hook(SessionId.parse('cccccccc'), event, slot)).toEqual({ code: 0, stdout: '', stderr: '' });
			const { code, stderr } = await hook(first.session, event, slot);
			expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		}
	});

	it('says nothing on input that is no event', async () => {
		await put(first, 'm1');
		for (const more of [{ session_id: 7 }, { session_id: '../../x' }, { tool_name: { a: 1 } }]) {
			expect(await hook(first.session, 'PostToolBatch', 'boundary', more)).toMatchObject({ code: 0, stderr: '' });
		}
		const { messages } = await workspace.mailbox(first).list();
		expect(messages).toHaveLength(1);
	});
});

describe.skipIf(cannotMount)(`hooks on a bad disk${cannotMount}`, () => {
	let mounted: string | undefined;

	const mountOver = async (options: string) => {
		await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
		mounted = folder;
	};
	afterEach(async () => {
		if (mounted) await run('umount', ['-l', mounted]);
		mounted = undefined;
	});

	it('leaves a message queued and the agent alone while the disk is full', async () => {
		await mountOver('size=600k');
		await workspace.createTask(taskRecord(task, claudeCode.id));
		await addBoundWorker(workspace, first, { agent: claudeCode.id, session: first.session });
		await put(first, 'm1');
		const filler = join(folder, 'filler');
		await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k', 'count=1000']).catch(() => undefined);

		const full = await bash(first.session);
		expect({ code: full.code, stderr: full.stderr }).toEqual({ code: 0, stderr: '' });
		await rm(filler);
		await workspace.mailbox(first).recover();
		const after = await bash(first.session);
		// Handed over now, if it could not be recorded before: at least once, never lost.
		const { messages } = await workspace.mailbox(first).list();
		expect(messages).toMatchObject([{ state: 'delivered', content: { text: 'm1' } }]);
		expect(full.stdout + after.stdout).toContain('m1');
	});

	it('is silent and well where nothing can be written', async () => {
		await chmod(folder, 0o755);
		await run('mount', ['--bind', folder, folder]);
		mounted = folder;
		await put(first, 'm1');
		await run('mount', ['-o', 'remount,ro,bind', folder]);
		const { code, stderr } = await bash(first.session);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		await run('mount', ['-o', 'remount,rw,bind', folder]);
		expect((await bash(first.session)).stdout).toContain('m1');
	});
});
