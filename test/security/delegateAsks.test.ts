import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quoted } from '../../src/base/shellWord.ts';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { askingDelegate } from '../../src/core/delegates/askingDelegate.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { queueDelegate } from '../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import { bindSession } from '../../src/core/sessions/bindings.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { eventually } from '../support/eventually.ts';
import { address, hookedWorker } from '../support/hookedWorker.ts';
import { tempFolder } from '../support/tempFolder.ts';

const own = SessionId.parse('5e551011-0000-4000-8000-000000000001');
const delegated = SessionId.parse('5e551011-0000-4000-8000-000000000002');

/** A worker, and a delegate whose session is bound as a start binds it. */
async function room(permissions: string) {
	const folder = tempFolder('nancy asks ');
	const worker = { agent: claudeCode.id, session: own, agentVersion: '2.1.329' };
	const { workspace, launcher } = await hookedWorker(folder.path, worker);
	const tickets = new Tickets(workspace.own.dataFolder, folder.path);
	const delegates = new Delegates(workspace);
	const { record } = await queueDelegate(delegates, tickets, IN_TERMINAL, {
		prompt: 'Make it.',
		agent: claudeCode.id,
		permissions,
		folder: folder.path,
	});
	await bindSession(workspace, delegated, { address: record, watched: false });
	return {
		folder,
		workspace,
		launcher,
		tickets,
		record,
		delegates,
		asks: (session: SessionId) => askingDelegate(workspace, claudeCode, session),
		[Symbol.asyncDispose]: async () => {
			await tickets.remove(record.id);
			await folder.remove();
		},
	};
}

describe('which run without a terminal asks', () => {
	it('is a delegate that its user has queued with the permissions to ask, until it has ended', async () => {
		await using it = await room('ask-me');
		expect(await it.asks(delegated)).toBe(it.record.id);
		expect(await it.asks(own)).toBeUndefined();
		await it.tickets.end(it.record.id, { isReported: true });
		expect(await it.asks(delegated)).toBeUndefined();
	});

	it('is none that may not ask: it asks nobody', async () => {
		await using it = await room('default');
		expect(await it.asks(delegated)).toBe('asks-nobody');
		await it.tickets.end(it.record.id, { isReported: true });
		expect(await it.asks(delegated)).toBeUndefined();
	});

	it.each([
		['default', []],
		['ask-me', ['its own']],
	] as const)(
		'is told by its ticket (%s), though its environment calls it attended: %j',
		async (permissions, asked) => {
			await using it = await room(permissions);
			const call = `set -- ${quoted(it.launcher)} claude-code PermissionRequest ask ${quoted(it.folder.path)}; . "$1"`;
			const payload = { session_id: delegated, hook_event_name: 'PermissionRequest', tool_name: 'Bash' };
			const holder = spawn('sh', ['-c', call], {
				stdio: ['pipe', 'ignore', 'inherit'],
				env: {
					PATH: process.env['PATH'],
					TMPDIR: it.folder.path,
					NANCY_HOOK_SESSION: delegated,
					NANCY_HOOK_PID: String(process.pid),
					NANCY_HOOK_ATTENDED: '1',
					NANCY_HOOK_PROJECT: it.folder.path,
				},
			});
			const ended = once(holder, 'close');
			holder.stdin.end(
				JSON.stringify({ ...payload, tool_input: { command: 'rm -rf build' }, cwd: it.folder.path }),
			);
			const desk = new Questions(it.workspace.own);
			await eventually(
				'a question or the end',
				async () => holder.exitCode !== null || (await desk.all()).length > 0,
			);
			const found = await desk.all();
			holder.kill('SIGKILL');
			await ended;
			expect(
				found.map(({ question }) => (question.delegate === it.record.id ? 'its own' : 'a session’s')),
			).toEqual(asked);
		},
	);

	it('is none whose record says something else than its user has queued', async () => {
		await using it = await room('default');
		const file = join(it.delegates.folder, `${it.record.id}.json`);
		const text = readFileSync(file, 'utf8').replace('"default"', '"ask-me"');
		expect(text).toContain('ask-me');
		writeFileSync(file, text);
		expect(await it.asks(delegated)).toBe('asks-nobody');
	});

	it('is none whose session a file of the workspace gives to the delegate', async () => {
		await using it = await room('ask-me');
		const mine = SessionId.parse('5e551011-0000-4000-8000-000000000003');
		const { paths } = it.workspace;
		writeFileSync(paths.session(mine), readFileSync(paths.session(delegated)));
		expect(await it.asks(mine)).toBeUndefined();
	});

	it('is none that only its environment calls a delegate: its hook asks nobody and says nothing', async () => {
		await using it = await room('ask-me');
		const call = `set -- ${quoted(it.launcher)} claude-code PermissionRequest ask ${quoted(it.folder.path)}; . "$1"`;
		const payload = { session_id: own, hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {} };
		const { task, worker } = it.record;
		const ended = spawnSync('sh', ['-c', call], {
			input: JSON.stringify({ ...payload, tool_input: { command: 'rm -rf build' }, cwd: it.folder.path }),
			encoding: 'utf8',
			env: {
				PATH: process.env['PATH'],
				TMPDIR: it.folder.path,
				NANCY_HOOK_SESSION: own,
				NANCY_HOOK_PID: String(process.pid),
				NANCY_HOOK_ATTENDED: '0',
				NANCY_HOOK_PROJECT: it.folder.path,
				NANCY_TASK_DIR: it.workspace.paths.task(task),
				NANCY_WORKER: worker,
				NANCY_RUN: it.record.id,
				NANCY_DELEGATE: it.record.id,
			},
		});
		expect(ended).toMatchObject({ status: 0, stdout: '' });
		expect(await new Questions(it.workspace.own).all()).toEqual([]);
		expect(address.task).not.toBe(task);
	});
});
