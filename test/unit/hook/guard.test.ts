import { spawn, spawnSync } from 'node:child_process';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, afterEach } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { readPhase } from '../../../src/core/sessions/phase.ts';
import { parseSpoolFileName } from '../../../src/core/traffic/spoolName.ts';
import type { Workspace } from '../../../src/core/workspace/workspace.ts';
import type { MessageContent } from '../../../src/protocol/message.ts';
import { DriverId, SessionId } from '../../../src/protocol/names.ts';
import { address, hookedWorker } from '../../support/hookedWorker.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { writeSealedRecord } from '../../support/sealedRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { bindSession, sessionBinding } from '../../../src/core/sessions/bindings.ts';

const session = SessionId.parse('5e551011-0000-4000-8000-000000000001');
const driver = DriverId.parse('claude-code');
const shells = ['dash', 'bash', 'busybox'].filter(
	name => spawnSync(name, [name === 'busybox' ? '--help' : '--version']).error === undefined,
);

let folder: TempFolder;
let workspace: Workspace;
let launcher: string;

beforeEach(async () => {
	folder = tempFolder('nancy guard ');
	const worker = { agent: driver, session, agentVersion: '2.1.329' };
	({ workspace, launcher } = await hookedWorker(folder.path, worker));
});
afterEach(() => folder.remove());

const payload = (event: string, more: object = {}) =>
	JSON.stringify({
		session_id: session,
		hook_event_name: event,
		tool_name: 'Bash',
		tool_input: {},
		tool_calls: [],
		...more,
	});

function hook(
	event: string,
	slot: string,
	options: { input?: string; env?: Record<string, string>; shell?: string[]; more?: object } = {},
) {
	const { shell = ['dash'], env = {}, input = payload(event, options.more) } = options;
	const [command = 'sh', ...args] = shell;
	const { status, stdout, stderr } = spawnSync(command, [...args, launcher, driver, event, slot, folder.path], {
		input,
		encoding: 'utf8',
		env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: session, NANCY_HOOK_PROJECT: folder.path, ...env },
	});
	return { status, stdout, stderr };
}

const SILENT = { status: 0, stdout: '', stderr: '' };
const spooled = () =>
	readdirSync(workspace.paths.spool).map(name => ({
		name: parseSpoolFileName(name),
		text: readFileSync(`${workspace.paths.spool}/${name}`, 'utf8'),
	}));
const send = (text: string, more: Partial<MessageContent> = {}) =>
	workspace.send(address, messageContent(text, more), BY_USER);
const deployedFor = (agentVersion: string) =>
	writeSealedRecord(workspace.folder, dirname(dirname(dirname(launcher))), {
		deployments: [
			{
				driver,
				scope: 'workspace',
				hookVersion: '1',
				agentVersion,
				events: [],
				deployedAt: new Date().toISOString(),
				files: [],
				ownFiles: [],
				launchFiles: [],
				skills: [],
				folders: [],
			},
		],
	});
const inbox = () => readdirSync(`${workspace.mailbox(address).folder}/inbox`).filter(name => name.endsWith('.md'));

describe.each(shells)('the guard under %s', name => {
	const shell = name === 'busybox' ? ['busybox', 'ash'] : [name];

	it('keeps an event whole and says nothing when nothing is due', () => {
		const input = payload('PostToolBatch', { big: 'é'.repeat(300_000) });
		expect(hook('PostToolBatch', 'boundary', { shell, input })).toEqual(SILENT);
		expect(spooled()).toEqual([{ name: { driver, event: 'PostToolBatch' }, text: input }]);
	});

	it('hands a directive over, once, with a receipt', async () => {
		const id = await send('Use the helper.');
		const { status, stdout, stderr } = hook('PostToolBatch', 'boundary', { shell });
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		expect(JSON.parse(stdout)).toMatchObject({
			hookSpecificOutput: {
				hookEventName: 'PostToolBatch',
				additionalContext: expect.stringContaining('Use the helper.'),
			},
		});
		expect(hook('PostToolBatch', 'boundary', { shell })).toEqual(SILENT);
		const { messages } = await workspace.mailbox(address).list(['delivered']);
		expect(messages.map(message => [message.id, message.receipt?.rung, message.receipt?.event])).toEqual([
			[id, 'hook', 'PostToolBatch'],
		]);
	});

	it('finds the session in the event where the agent says it nowhere else', async () => {
		const env = { NANCY_HOOK_SESSION: '', NANCY_HOOK_KEY: 'session_id' };
		const input = payload('PostToolBatch', { big: 'é'.repeat(300_000) });
		expect(hook('PostToolBatch', 'boundary', { shell, input, env })).toEqual(SILENT);
		expect(spooled()).toEqual([{ name: { driver, event: 'PostToolBatch' }, text: `${input}\n` }]);
		await send('Use the helper.');
		expect(hook('PostToolBatch', 'boundary', { shell, env }).stdout).toContain('Use the helper.');
		expect(hook('Stop', 'end', { shell, env })).toEqual(SILENT);
		expect((await readPhase(workspace.paths, session)).phase).toBe('idle');
	});

	it('takes nothing that stands deep in an event for its session, and does not search long for one', async () => {
		await send('Use the helper.');
		const env = { NANCY_HOOK_SESSION: '', NANCY_HOOK_KEY: 'session' };
		const input = payload('PostToolBatch', { big: 'x'.repeat(300_000), session });
		// Without a session the program looks, which reads the event itself.
		expect(hook('PostToolBatch', 'boundary', { shell, input, env }).stdout).toContain('Use the helper.');
	});

	it('never loses an event when pids repeat or a folder is full of them', () => {
		for (let index = 0; index < 20; index++) hook('PostToolUse', 'report', { shell, more: { index } });
		expect(spooled()).toHaveLength(20);
	});

	it('fails open when it cannot write', () => {
		rmSync(workspace.paths.spool, { recursive: true });
		expect(hook('PostToolBatch', 'boundary', { shell })).toEqual(SILENT);
		rmSync(workspace.paths.root, { recursive: true });
		expect(hook('PostToolBatch', 'boundary', { shell })).toEqual(SILENT);
		expect(existsSync(workspace.paths.root)).toBe(false);
	});
});

describe('the guard', () => {
	it('asks again about a message that a mark of the future would hide', async () => {
		await send('Later.', { kind: 'feedback' });
		const box = workspace.mailbox(address).folder;
		const old = new Date(Date.now() - 10_000);
		for (const file of readdirSync(`${box}/inbox`)) utimesSync(`${box}/inbox/${file}`, old, old);
		utimesSync(`${box}/inbox`, old, old);
		expect(hook('PreToolUse', 'boundary')).toEqual(SILENT);
		await send('Stop.', { effect: 'halt' });
		const future = new Date('2099-01-01');
		utimesSync(`${box}/.boundary`, future, future);
		expect(hook('PreToolUse', 'boundary').stdout).toContain('Stop.');
	});

	it.each(['sessions', 'phases', 'waiters'] as const)(
		'waits for no pipe in the place of a file in %s',
		async place => {
			await send('Use the helper.');
			mkdirSync(join(workspace.paths.root, place), { recursive: true });
			rmSync(join(workspace.paths.root, place, session), { force: true });
			spawnSync('mkfifo', [join(workspace.paths.root, place, session)]);
			for (const [event, slot] of [
				['PreToolUse', 'boundary'],
				['UserPromptSubmit', 'turn'],
				['Stop', 'end'],
				['FileChanged', 'wake'],
				['SessionStart', 'program'],
			] as const)
				expect({ event, status: hook(event, slot).status }).toEqual({ event, status: 0 });
			expect(spooled().length).toBeGreaterThanOrEqual(4);
		},
	);

	it('waits for no pipe in the place of an event', () => {
		const { pid } = spawnSync('sh', ['-c', 'echo']);
		const next = Array.from({ length: 400 }, (_, index) => `${driver}~PreToolUse~${pid + index}-0.json`);
		spawnSync('mkfifo', next, { cwd: workspace.paths.spool });
		expect(hook('PreToolUse', 'boundary')).toEqual(SILENT);
	});

	it('does nothing for Nancy’s own helpers', () => {
		expect(hook('PostToolBatch', 'boundary', { env: { NANCY_HOOKS: 'off' } })).toEqual(SILENT);
		expect(spooled()).toEqual([]);
	});

	it('follows no binding out of its folder, and no link', async () => {
		await send('Secret.');
		for (const line of ['tasks/../../x/comms/worker', '/etc', 'tasks/a/comms/b/../../../..', 'tasks/a/comms/b c']) {
			writeFileSync(workspace.paths.session(session), `${line}\nwatched\n`);
			expect(hook('PostToolBatch', 'boundary')).toEqual(SILENT);
		}
		expect(hook('PostToolBatch', 'boundary', { env: { NANCY_HOOK_SESSION: '../sessions/x' } }).status).toBe(0);
		rmSync(workspace.paths.spool, { recursive: true });
		mkdirSync(folder.file('elsewhere'));
		symlinkSync(folder.file('elsewhere'), workspace.paths.spool);
		expect(hook('PostToolBatch', 'boundary')).toEqual(SILENT);
		expect(readdirSync(folder.file('elsewhere'))).toEqual([]);
	});

	it('writes through no link, whatever is in its place', () => {
		const theirs = folder.file('theirs');
		mkdirSync(theirs);
		writeFileSync(join(theirs, 'thesis'), 'years of work');
		symlinkSync(join(theirs, 'thesis'), join(workspace.paths.phases, session));
		expect(hook('Stop', 'end')).toEqual(SILENT);
		expect(readFileSync(join(theirs, 'thesis'), 'utf8')).toBe('years of work');
		rmSync(workspace.paths.phases, { recursive: true });
		symlinkSync(theirs, workspace.paths.phases);
		expect(hook('Stop', 'end')).toEqual(SILENT);
		expect(readdirSync(theirs)).toEqual(['thesis']);
	});

	it('finds the workspace by the task of Nancy’s terminal when the agent works in a worktree', () => {
		const env = { NANCY_HOOK_PROJECT: '/no/where', NANCY_TASK_DIR: workspace.paths.task(address.task) };
		expect(hook('PostToolBatch', 'boundary', { env })).toEqual(SILENT);
		expect(spooled()).toHaveLength(1);
	});

	it('says busy at a prompt and idle at a stop', async () => {
		hook('UserPromptSubmit', 'turn', { more: { prompt: 'x' } });
		expect((await readPhase(workspace.paths, session)).phase).toBe('busy');
		hook('Stop', 'end');
		expect((await readPhase(workspace.paths, session)).phase).toBe('idle');
	});

	it('does not start the program for feedback at every tool call, and never misses a directive by that', async () => {
		await send('Later.', { kind: 'feedback' });
		const old = new Date(Date.now() - 10_000);
		const box = workspace.mailbox(address).folder;
		const age = () => {
			for (const name of inbox()) utimesSync(`${box}/inbox/${name}`, old, old);
			utimesSync(`${box}/inbox`, old, old);
		};
		age();
		hook('PostToolBatch', 'boundary');
		expect(existsSync(`${box}/.boundary`)).toBe(true);
		// What the program writes ends in a random part; the guard's own name holds its pid and that of the agent.
		rmSync(workspace.paths.spool, { recursive: true });
		mkdirSync(workspace.paths.spool);
		hook('PostToolBatch', 'boundary');
		expect(readdirSync(workspace.paths.spool)[0]).toMatch(/~\d+-0\.json$/);
		await send('Now.');
		expect(hook('PostToolBatch', 'boundary').stdout).toContain('Now.');
		expect(hook('Stop', 'end').stdout).toContain('Later.');
	});

	it('asks again about a message edited by hand', async () => {
		const id = await send('Later.', { kind: 'feedback' });
		const box = workspace.mailbox(address).folder;
		const old = new Date(Date.now() - 10_000);
		utimesSync(`${box}/inbox/${id}.md`, old, old);
		utimesSync(`${box}/inbox`, old, old);
		hook('PostToolBatch', 'boundary');
		writeFileSync(`${box}/inbox/${id}.md`, 'Now it is a directive.');
		// It is still being written, however slow the machine is.
		const writing = spawn('sh', ['-c', 'while touch "$1"; do sleep 0.1; done', 'sh', `${box}/inbox/${id}.md`]);
		expect(hook('PostToolBatch', 'boundary')).toEqual(SILENT);
		writing.kill();
		await once(writing, 'exit');
		// As if time had passed since. The mark is dated to 2 s before that look.
		const changed = new Date(Date.now() - 2500);
		utimesSync(`${box}/inbox/${id}.md`, changed, changed);
		const marked = new Date(changed.getTime() - 1900);
		for (const file of [`${box}/inbox`, `${box}/.boundary`]) utimesSync(file, marked, marked);
		expect(hook('PostToolBatch', 'boundary').stdout).toContain('Now it is a directive.');
	});

	it('denies only the calls beside a halted one where no event tells that their batch is over', async () => {
		deployedFor('2.1.117');
		await send('Stop that.', { effect: 'halt' });
		expect(hook('PreToolUse', 'boundary').stdout).toContain('Stop that.');
		const halt = join(workspace.paths.halts, session);
		const begunSeconds = (ago: number) => utimesSync(halt, new Date(), new Date(Date.now() - ago * 1000));
		// However slow the machine is.
		begunSeconds(-3600);
		expect(hook('PreToolUse', 'boundary').stdout).toContain('deny');
		begunSeconds(3);
		expect(hook('PreToolUse', 'boundary')).toEqual(SILENT);
		// Else the guard would start the program at every later call.
		expect(existsSync(halt)).toBe(false);
	});

	it('denies the calls beside a halted one until their batch is over, however long that takes', async () => {
		deployedFor('2.1.118');
		await send('Stop that.', { effect: 'halt' });
		hook('PreToolUse', 'boundary');
		const old = new Date(Date.now() - 60_000);
		utimesSync(join(workspace.paths.halts, session), old, old);
		expect(hook('PreToolUse', 'boundary').stdout).toContain('deny');
		hook('PostToolBatch', 'boundary', { more: { tool_calls: [] } });
		expect(hook('PreToolUse', 'boundary')).toEqual(SILENT);
	});

	it('keeps the event when the program is not installed', async () => {
		await send('Waits.');
		const alone = folder.file('nancy-hook');
		copyFileSync(launcher, alone);
		const result = spawnSync('sh', [alone, driver, 'PostToolBatch', 'boundary', folder.path], {
			input: payload('PostToolBatch'),
			encoding: 'utf8',
			env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: session },
		});
		expect([result.status, result.stdout, spooled().length, inbox().length]).toEqual([0, '', 1, 1]);
		expect(dirname(launcher)).not.toBe(folder.path);
	});

	it('reads its other part only if something may be due', async () => {
		const alone = folder.file('nancy-hook');
		copyFileSync(launcher, alone);
		writeFileSync(folder.file('due'), ': >"$nancy_place/read"\n');
		const isReadAt = (event: string, slot: string, env: Record<string, string> = {}) => {
			rmSync(folder.file('read'), { force: true });
			spawnSync('sh', [alone, driver, event, slot, folder.path], {
				input: payload(event),
				env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: session, ...env },
			});
			return existsSync(folder.file('read'));
		};
		expect(isReadAt('PostToolUse', 'report')).toBe(false);
		expect(isReadAt('PostToolBatch', 'boundary')).toBe(false);
		expect(isReadAt('PostToolBatch', 'boundary', { NANCY_HOOK_SESSION: 'unknown' })).toBe(true);
		expect(isReadAt('Stop', 'end')).toBe(true);
		await send('Waits.');
		expect(isReadAt('PostToolBatch', 'boundary')).toBe(true);
		expect(spooled()).toHaveLength(5);
	});

	it('adopts a session that Nancy does not know, at its first event', async () => {
		const stranger = SessionId.parse('00000000-0000-4000-8000-0000abcdef01');
		const env = { NANCY_HOOK_SESSION: stranger };
		hook('PostToolBatch', 'boundary', { env, input: payload('PostToolBatch', { session_id: stranger }) });
		expect(await sessionBinding(workspace, stranger)).toEqual({
			address: { task: expect.stringMatching(/^session-abcdef01-/), worker: 'worker' },
			watched: false,
		});
	});

	it('notes no trouble while a session’s worker is still being started: its next event looks again', async () => {
		const starting = { by: identify(process.pid), at: new Date().toISOString() };
		await workspace.updateWorker(address, record => record && { ...record, process: undefined, starting });
		const stranger = SessionId.parse('00000000-0000-4000-8000-0000abcdef01');
		const env = {
			NANCY_HOOK_SESSION: stranger,
			NANCY_TASK_DIR: workspace.paths.task(address.task),
			NANCY_WORKER: address.worker,
		};
		const input = payload('SessionStart', { session_id: stranger, source: 'startup' });
		expect(hook('SessionStart', 'program', { env, input })).toEqual(SILENT);
		expect(await sessionBinding(workspace, stranger)).toBeUndefined();
		expect(spooled().map(({ text }) => text)).toEqual([input]);
	});

	it('tells only an agent in a terminal of Nancy’s to file messages: nobody else has the command on their PATH', async () => {
		await send('For one that the user started.');
		const found = hook('PostToolBatch', 'boundary').stdout;
		expect(found).toContain('For one that the user started.');
		expect(found).not.toContain('nancy archive');
		await send('For one that Nancy started.');
		const env = { NANCY_TASK_DIR: workspace.paths.task(address.task) };
		expect(hook('PostToolBatch', 'boundary', { env }).stdout).toContain('nancy archive <id>');
	});

	it('gives a subagent nothing', async () => {
		await send('For the main agent.');
		expect(hook('PostToolBatch', 'boundary', { more: { agent_id: 'a1' } })).toEqual(SILENT);
		expect(inbox()).toHaveLength(1);
	});

	it('stays silent, keeps the payload and notes the trouble when it makes no sense', async () => {
		await send('Waits.');
		expect(hook('PostToolBatch', 'boundary', { input: '{"session_id":' })).toEqual(SILENT);
		expect(
			spooled()
				.map(each => each.text)
				.some(text => text.includes('"trouble"')),
		).toBe(true);
		expect(inbox()).toHaveLength(1);
	});

	it('puts the message back when the agent no longer listens', async () => {
		await send('Waits.');
		const child = spawn(launcher, [driver, 'PostToolBatch', 'boundary', folder.path], {
			env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: session },
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		child.stdout.destroy();
		child.stdin.end(payload('PostToolBatch'));
		const code = await new Promise(resolve => child.once('close', resolve));
		expect(code).toBe(0);
		await workspace.mailbox(address).recover();
		expect(inbox()).toHaveLength(1);
	});

	it('hands each of many messages to exactly one of many hooks at once', async () => {
		for (let index = 0; index < 30; index++) await send(`Number ${index}.`);
		const outputs = await Promise.all(
			Array.from({ length: 12 }, () => {
				const child = spawn(launcher, [driver, 'PostToolBatch', 'boundary', folder.path], {
					env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: session },
					stdio: ['pipe', 'pipe', 'ignore'],
				});
				child.stdin.end(payload('PostToolBatch'));
				let text = '';
				child.stdout.on('data', chunk => (text += String(chunk)));
				return new Promise<string>(resolve => child.once('close', () => resolve(text)));
			}),
		);
		const all = outputs.join('');
		for (let index = 0; index < 30; index++) expect(all.split(`Number ${index}.`)).toHaveLength(2);
		expect(inbox()).toEqual([]);
	});

	it('holds a stop back less often than the CLI allows, then leaves it to the wake', async () => {
		let held = 0;
		for (let index = 0; index < 10; index++) {
			await send(`Feedback ${index}.`, { kind: 'feedback' });
			if (hook('Stop', 'end', { more: { stop_hook_active: index > 0 } }).stdout !== '') held++;
			else break;
		}
		expect(held).toBe(7);
		expect(inbox()).toHaveLength(1);
		expect((await readPhase(workspace.paths, session)).phase).toBe('idle');
		expect(existsSync(workspace.paths.bell(session))).toBe(true);
	});

	it('wakes an idle session for its bell, and for nothing else', async () => {
		const bell = { file_path: workspace.paths.bell(session), event: 'change' };
		hook('Stop', 'end');
		expect(hook('FileChanged', 'wake', { more: bell })).toEqual(SILENT);
		await send('Stay.', { effect: 'pause' });
		expect(hook('FileChanged', 'wake', { more: bell })).toEqual(SILENT);
		await send('Wake up.');
		expect(hook('FileChanged', 'wake', { more: { ...bell, file_path: '/w/other' } })).toEqual(SILENT);
		const woken = hook('FileChanged', 'wake', { more: bell });
		expect([woken.status, woken.stdout]).toEqual([2, '']);
		expect(woken.stderr).not.toContain('Wake up.');
		expect(inbox()).toHaveLength(2);
	});

	it('does not wake a busy session where nobody sits', async () => {
		hook('UserPromptSubmit', 'turn', { more: { prompt: 'x' } });
		await send('Wake up.');
		const more = { file_path: workspace.paths.bell(session), event: 'change' };
		expect(hook('FileChanged', 'wake', { more, env: { NANCY_HOOK_ATTENDED: '0' } })).toEqual(SILENT);
	});

	it('waits once for a session, also where the session stands in the event alone', async () => {
		await bindSession(workspace, session, { address: address, watched: false });
		const env = { NANCY_HOOK_SESSION: '', NANCY_HOOK_KEY: 'session_id', NANCY_HOOK_PROJECT: folder.path };
		// Where an empty entry of PATH leads: the agent's folder, with programs of its own.
		const cwd = folder.file('with programs');
		mkdirSync(cwd);
		for (const program of ['sleep', 'cat', 'node'])
			writeFileSync(join(cwd, program), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
		const waiters = [1, 2].map(() => {
			const child = spawn('/bin/sh', [launcher, driver, 'Stop', 'wait', folder.path], {
				cwd,
				env: { PATH: `:${process.env['PATH']}`, ...env },
				stdio: ['pipe', 'ignore', 'ignore'],
			});
			child.stdin.end(payload('Stop'));
			return child;
		});
		try {
			await expect.poll(() => waiters.filter(({ exitCode }) => exitCode === null).length).toBe(1);
			const [holder] = readFileSync(join(workspace.paths.waiters, session), 'utf8').split(/\s/, 1);
			expect(waiters.map(({ pid }) => String(pid))).toContain(holder);
			expect(readdirSync(cwd)).not.toContain('ran');
		} finally {
			for (const waiter of waiters) waiter.kill('SIGKILL');
		}
	});
});
