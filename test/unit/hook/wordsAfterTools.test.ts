import { spawnSync } from 'node:child_process';
import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Workspace } from '../../../src/core/workspace/workspace.ts';
import { copilotCli } from '../../../src/drivers/copilot-cli/driver.ts';
import type { MessageContent } from '../../../src/protocol/message.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { address, hookedWorker } from '../../support/hookedWorker.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const session = SessionId.parse('5e551011-0000-4000-8000-000000000002');

let folder: TempFolder;
let workspace: Workspace;
let launcher: string;

beforeEach(async () => {
	folder = tempFolder('nancy words ');
	const worker = { agent: copilotCli.id, session, isWatched: false };
	({ workspace, launcher } = await hookedWorker(folder.path, worker));
});
afterEach(() => folder.remove());

/** What a hook of the CLI's, deployed as it is, answers; undefined when it says nothing. */
function answer(event: string, more: object = {}): unknown {
	const { content = '' } = plan().launchFiles.find(({ file }) => file === 'hooks/hooks.json') ?? {};
	const { hooks } = JSON.parse(content) as { hooks: Record<string, { bash: string }[]> };
	const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', hooks[event]?.[0]?.bash ?? ''], {
		input: JSON.stringify({ sessionId: session, timestamp: 1, cwd: folder.path, toolName: 'bash', ...more }),
		encoding: 'utf8',
		env: { PATH: process.env['PATH'], COPILOT_PROJECT_DIR: folder.path },
	});
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	return stdout === '' ? undefined : JSON.parse(stdout);
}
const plan = () =>
	copilotCli.deployment({ version: [1, 0, 102], launcher, workspaceFolder: folder.path, scope: 'launch' });

const send = (text: string, more: Partial<MessageContent> = {}) =>
	workspace.send(address, messageContent(text, more), BY_USER);
const queued = async () => (await workspace.mailbox(address).list(['queued'])).messages.length;
/** The CLI does not say when a batch of calls is over, so a halt lasts for a moment. On a busy machine the test takes longer than that. */
function haltedBefore(ms: number): void {
	const at = new Date(Date.now() - ms);
	utimesSync(join(workspace.paths.halts, session), at, at);
}
const saying = (words: string) => expect.stringContaining(words) as unknown;

describe('a CLI that takes words after a tool, a denial before it, and ends a turn where it checks permissions', () => {
	it('gets a directive once the tool has run, and not before', async () => {
		await send('Use the helper.');
		expect(answer('preToolUse')).toBeUndefined();
		expect(answer('permissionRequest')).toBeUndefined();
		expect(answer('postToolUse')).toEqual({ additionalContext: saying('Use the helper.') });
		expect(await queued()).toBe(0);
	});

	it('gets a directive with the failure of a tool, too', async () => {
		await send('Use the helper.');
		expect(answer('preToolUse')).toBeUndefined();
		expect(answer('postToolUseFailure')).toEqual({ additionalContext: saying('Use the helper.') });
	});

	it('gets a halt before the tool, and the calls beside it are denied where their permissions are checked', async () => {
		await send('Stop that.', { effect: 'halt' });
		expect(answer('preToolUse')).toMatchObject({ permissionDecision: 'deny' });
		haltedBefore(-60_000);
		expect(answer('permissionRequest')).toMatchObject({ behavior: 'deny', interrupt: false });
		expect(answer('agentStop')).toBeUndefined();
		expect(answer('permissionRequest')).toBeUndefined();
	});

	it('is not denied a call that comes later than one beside the halted one', async () => {
		await send('Stop that.', { effect: 'halt' });
		expect(answer('preToolUse')).toMatchObject({ permissionDecision: 'deny' });
		haltedBefore(60_000);
		expect(answer('permissionRequest')).toBeUndefined();
	});

	it('keeps a pause for where it ends the turn, whatever else waits', async () => {
		await send('A note.', { kind: 'feedback' });
		await send('Rest.', { effect: 'pause' });
		for (const event of ['preToolUse', 'postToolUse', 'preToolUse', 'postToolUseFailure'])
			expect(answer(event), event).toBeUndefined();
		expect(answer('permissionRequest')).toEqual({ behavior: 'deny', message: saying('Rest.'), interrupt: true });
		expect(await queued()).toBe(1);
	});

	it('does not look again and again at what waits for the end of the turn', async () => {
		await send('A note.', { kind: 'feedback' });
		answer('preToolUse');
		expect(existsSync(join(workspace.mailbox(address).folder, '.boundary'))).toBe(true);
		await send('Use the helper.');
		expect(answer('preToolUse')).toBeUndefined();
		expect(answer('postToolUse')).toEqual({ additionalContext: saying('Use the helper.') });
	});

	it('gives a subagent nothing', async () => {
		await send('For the parent.');
		const subagent = 'c1367e94-f879-4bc4-9a54-478e8e0268c3';
		const more = { sessionId: subagent, agentId: subagent, parentAgentId: session };
		expect(answer('postToolUse', more)).toBeUndefined();
		expect(answer('agentStop', more)).toBeUndefined();
		expect(await queued()).toBe(1);
	});

	it('is held back seven times in a row, though it reports a prompt each time', async () => {
		let held = 0;
		for (let index = 0; index < 9; index++) {
			await send(`Feedback ${index}.`, { kind: 'feedback' });
			if (answer('agentStop', { stop_hook_active: index > 0 }) === undefined) break;
			held++;
			answer('userPromptSubmitted', { prompt: '[Nancy message 1 feedback from x]' });
		}
		expect(held).toBe(7);
		expect(await queued()).toBe(1);
		expect(answer('agentStop', { stop_hook_active: false })).toMatchObject({ decision: 'block' });
	});
});
