import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Workspace } from '../../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { address, hookedWorker } from '../../support/hookedWorker.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const session = SessionId.parse('5e551011-0000-4000-8000-000000000003');

let folder: TempFolder;
let workspace: Workspace;
let launcher: string;

beforeEach(async () => {
	folder = tempFolder('nancy-config-');
	// Nancy did not start it: nothing but the deployment says of which version it is.
	const found = { origin: 'found' } as const;
	({ workspace, launcher } = await hookedWorker(folder.path, { agent: claudeCode.id, session }, found));
});
afterEach(() => folder.remove());

it.each([
	['UserPromptSubmit', 'turn'],
	['Stop', 'end'],
])('a config.json that cannot be read keeps no message back at %s', async (event, slot) => {
	await workspace.send(address, messageContent('Use the helper.'), BY_USER);
	writeFileSync(workspace.paths.config, '{ "version": 1, deployments');
	const { status, stdout } = spawnSync(launcher, ['claude-code', event, slot, folder.path], {
		input: JSON.stringify({ session_id: session, hook_event_name: event, cwd: folder.path, prompt: 'Go on.' }),
		encoding: 'utf8',
		env: {
			PATH: process.env['PATH'],
			NANCY_HOOK_SESSION: session,
			NANCY_HOOK_PID: `${process.pid}`,
			NANCY_HOOK_PROJECT: folder.path,
		},
	});
	expect(status).toBe(0);
	expect(stdout).toContain('Use the helper.');
	expect((await workspace.mailbox(address).list(['delivered'])).messages).toHaveLength(1);
});

it('nor does one keep a session from hearing of its doorbell', async () => {
	writeFileSync(workspace.paths.config, '[]');
	const { stdout } = spawnSync(launcher, ['claude-code', 'SessionStart', 'program', folder.path], {
		input: JSON.stringify({ session_id: session, hook_event_name: 'SessionStart', source: 'startup' }),
		encoding: 'utf8',
		env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: session, NANCY_HOOK_PROJECT: folder.path },
	});
	expect(stdout).toContain(workspace.paths.bell(session));
});
