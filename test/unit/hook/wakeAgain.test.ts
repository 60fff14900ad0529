import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { writePhase } from '../../../src/core/sessions/phase.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { SessionId } from '../../../src/protocol/names.ts';
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
	// Asked again at once: the first question only looks at files.
	const { status: code } = spawnSync(
		'sh',
		['-c', '"$0" "$@"', launcher, claudeCode.id, 'FileChanged', 'wake', folder.path],
		{
			input: JSON.stringify({
				session_id: session,
				hook_event_name: 'FileChanged',
				file_path: workspace.paths.bell(session),
				event: 'change',
				cwd: folder.path,
				transcript_path: folder.file('none.jsonl'),
			}),
			encoding: 'utf8',
			timeout: 20_000,
			env: {
				PATH: process.env['PATH'],
				NANCY_HOOK_SESSION: session,
				NANCY_HOOK_PID: String(process.pid),
				NANCY_HOOK_ATTENDED: '1',
				NANCY_AGENT: claudeCode.id,
				NANCY_AGENT_PROGRAM: cli,
			},
		},
	);
	expect(code).toBe(stillWaits ? 2 : 0);
});
