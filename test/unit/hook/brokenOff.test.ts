import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readPhase } from '../../../src/core/sessions/phase.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { opencode } from '../../../src/drivers/opencode/driver.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { hookRuntime } from '../../support/runtime.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { sessionBinding } from '../../../src/core/sessions/bindings.ts';

const sessionID = SessionId.parse('ses_e01515da6ffexAQ8l1f1iMlkAQ');

it.each(['interrupted', 'stop-failed'])(
	'a turn that ends as %s hands nothing over, and leaves the session idle for its doorbell',
	async event => {
		const launcher = await hookRuntime();
		await using folder = tempFolder('nancy broken off ');
		const workspace = new Workspace(folder.path);
		await workspace.prepare();
		const hook = (name: string, slot: string, more: object = {}) =>
			spawnSync(launcher, [opencode.id, name, slot, folder.path], {
				input: JSON.stringify({ sessionID, ...more }),
				encoding: 'utf8',
				env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: sessionID, NANCY_HOOK_ATTENDED: '1' },
			}).stdout;
		expect(JSON.parse(hook('session-start', 'program', { source: 'startup' }))).toHaveProperty('bell');
		hook('prompt', 'turn', { text: 'Begin' });
		const binding = await sessionBinding(workspace, sessionID);
		if (!binding) throw new Error('the session is not bound');
		const mailbox = workspace.mailbox(binding.address);
		await workspace.send(binding.address, messageContent('Later.', { kind: 'feedback' }), BY_USER);
		expect((await readPhase(workspace.paths, sessionID)).phase).toBe('busy');
		expect(hook(event, 'end')).toBe('');
		expect((await readPhase(workspace.paths, sessionID)).phase).toBe('idle');
		expect((await mailbox.list(['queued'])).messages).toHaveLength(1);
	},
);
