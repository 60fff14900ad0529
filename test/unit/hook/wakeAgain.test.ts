import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Workspace } from '../../../src/core/workspace/workspace.ts';
import { writePhase } from '../../../src/core/sessions/phase.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { HANG_MS } from '../../support/eventually.ts';
import { address, hookedWorker } from '../../support/hookedWorker.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const session = SessionId.parse('5e551011-0000-4000-8000-000000000009');

it.each([
	['is woken for what still waits when the CLI has said that it is idle', true],
	['is not woken for what another hook handed over while the CLI was asked', false],
])('an agent %s', async (_, stillWaits) => {
	await using folder = tempFolder('nancy wake again ');
	const { workspace, launcher } = await hookedWorker(folder.path, { agent: claudeCode.id, session });
	await workspace.prepare();
	await workspace.send(address, messageContent('Look at the log.', { kind: 'feedback' }), BY_USER);
	await writePhase(workspace.paths, session, 'busy');
	const mailbox = workspace.paths.mailbox(address.task, address.worker);
	await mkdir(`${mailbox}/delivered`, { recursive: true });
	// The CLI, asked for its status, takes its time.
	const cli = folder.file('claude');
	const status = JSON.stringify([{ sessionId: session, status: 'idle', pid: process.pid }]);
	const meanwhile = stillWaits ? ':' : `mv '${mailbox}'/inbox/*.md '${mailbox}/delivered/'`;
	await writeFile(cli, `#!/bin/sh\n${meanwhile}\necho '${status}'\n`);
	await chmod(cli, 0o755);
	const { status: code } = ring(workspace, launcher, { NANCY_HOOK_ATTENDED: '1', NANCY_AGENT_PROGRAM: cli });
	expect(code).toBe(stillWaits ? 2 : 0);
});

it.each([
	['is woken where the program that talks with it has started it', process.ppid, 2],
	['is left alone where another process has, and the variable is inherited', process.pid, 0],
])('an agent without a terminal %s', async (_, talker, code) => {
	await using folder = tempFolder('nancy wake talked ');
	const { workspace, launcher } = await hookedWorker(folder.path, { agent: claudeCode.id, session });
	await workspace.prepare();
	await workspace.send(address, messageContent('Look at the log.', { kind: 'feedback' }), BY_USER);
	await writePhase(workspace.paths, session, 'busy');
	const cli = folder.file('claude');
	const status = JSON.stringify([{ sessionId: session, status: 'idle', pid: process.pid }]);
	await writeFile(cli, `#!/bin/sh\necho '${status}'\n`, { mode: 0o755 });
	const env = { NANCY_HOOK_ATTENDED: '0', NANCY_AGENT_PROGRAM: cli, NANCY_TALKED_WITH: String(talker) };
	expect(ring(workspace, launcher, env).status).toBe(code);
});

it('a pipe in place of an agent’s transcript holds up no wake', async () => {
	await using folder = tempFolder('nancy wake pipe ');
	const { workspace, launcher } = await hookedWorker(folder.path, { agent: claudeCode.id, session });
	await workspace.send(address, messageContent('Look at the log.', { kind: 'feedback' }), BY_USER);
	await writePhase(workspace.paths, session, 'busy');
	const transcript = folder.file('pipe.jsonl');
	execFileSync('mkfifo', [transcript]);
	await workspace.updateWorker(
		address,
		record => record && { ...record, sessions: record.sessions.map(each => ({ ...each, transcript })) },
	);
	expect(ring(workspace, launcher, { NANCY_HOOK_ATTENDED: '0' })).toMatchObject({ status: 0, signal: null });
});

/** The session's bell rings: what the hook says to the CLI. */
function ring(workspace: Workspace, launcher: string, env: NodeJS.ProcessEnv) {
	// Asked again at once: the first question only looks at files.
	return spawnSync('sh', ['-c', '"$0" "$@"', launcher, claudeCode.id, 'FileChanged', 'wake', workspace.folder], {
		input: JSON.stringify({
			session_id: session,
			hook_event_name: 'FileChanged',
			file_path: workspace.paths.bell(session),
			event: 'change',
			cwd: workspace.folder,
			transcript_path: join(workspace.folder, 'none.jsonl'),
		}),
		encoding: 'utf8',
		timeout: HANG_MS,
		env: {
			PATH: process.env['PATH'],
			NANCY_HOOK_SESSION: session,
			NANCY_HOOK_PID: String(process.pid),
			NANCY_AGENT: claudeCode.id,
			...env,
		},
	});
}
