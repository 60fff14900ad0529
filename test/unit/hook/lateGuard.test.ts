import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { guardSource } from '../../../src/drivers/guardSource.ts';
import { opencode } from '../../../src/drivers/opencode/driver.ts';
import { FIRST_WORKER, SessionId, TaskName } from '../../../src/protocol/names.ts';
import { addBoundWorker } from '../../support/boundWorker.ts';
import { eventually, TEST_HANGS_MS } from '../../support/eventually.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { hookRuntime } from '../../support/runtime.ts';
import { slowRuntime, type SlowRuntime } from '../../support/slowRuntime.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { sessionBinding } from '../../../src/core/sessions/bindings.ts';

const session = SessionId.parse('ses_e01515da6ffexAQ8l1f1iMlkAQ');
const address = { task: TaskName.parse('build'), worker: FIRST_WORKER };
/** How long the agent waits for the first call. The program starts after that. */
const WAITS_MS = 150;

interface Guarded {
	guard: (
		session: string,
		event: string,
		slot: string,
		payload: object,
		limit: number,
	) => Promise<{ stdout: string }>;
}

/** What a CLI loads to call the guard, with a Node that starts late. */
async function lateGuard(folder: TempFolder, { launcher }: SlowRuntime): Promise<Guarded> {
	const module = folder.file('guard.mjs');
	// On a slow machine, too, the guard lives until its program starts.
	const source = guardSource(opencode.id, launcher, folder.path).replace(
		/const GRACE_MS = \d+/,
		`const GRACE_MS = ${TEST_HANGS_MS}`,
	);
	const environment = `function environment(session) { return { NANCY_HOOK_SESSION: session, NANCY_HOOK_ATTENDED: '1' }; }`;
	writeFileSync(module, `${source}\n${environment}\nexport { guard };\n`);
	return (await import(pathToFileURL(module).href)) as Guarded;
}

async function boundWorkspace(folder: TempFolder): Promise<Workspace> {
	const workspace = new Workspace(folder.path);
	await workspace.createTask(taskRecord(address.task, opencode.id));
	await addBoundWorker(workspace, address, { agent: opencode.id, session, isWatched: false });
	return workspace;
}

const states = async (workspace: Workspace) =>
	(await workspace.mailbox(address).list(['queued', 'claimed', 'delivered'])).messages.map(({ state }) => state);
const payload = { sessionID: session, tool: 'bash', callID: 'call_1' };

it('a message that comes too late for the agent goes back into the inbox, and has no receipt', async () => {
	await using folder = tempFolder('nancy late ');
	const workspace = await boundWorkspace(folder);
	await workspace.send(address, messageContent('Not lost.'), BY_USER);
	using runtime = slowRuntime(await hookRuntime());
	const { guard } = await lateGuard(folder, runtime);
	expect(await guard(session, 'tool-end', 'boundary', payload, WAITS_MS)).toMatchObject({ stdout: '' });
	runtime.open();
	await eventually('the program has ended', runtime.hasEnded);
	expect(await states(workspace)).toEqual(['queued']);
	expect(await guard(session, 'tool-end', 'boundary', payload, 60_000)).toMatchObject({
		stdout: expect.stringContaining('Not lost.'),
	});
	expect(await states(workspace)).toEqual(['delivered']);
});

it('a session that was told too late of its bell does not count as one that watches it', async () => {
	await using folder = tempFolder('nancy late ');
	const workspace = await boundWorkspace(folder);
	using runtime = slowRuntime(await hookRuntime());
	const { guard } = await lateGuard(folder, runtime);
	const begin = (limit: number) => guard(session, 'session-start', 'program', { sessionID: session }, limit);
	await begin(WAITS_MS);
	runtime.open();
	await eventually('the program has ended', runtime.hasEnded);
	expect(await sessionBinding(workspace, session)).toMatchObject({ watched: false });
	expect((await begin(60_000)).stdout).toContain('bell');
	expect(await sessionBinding(workspace, session)).toMatchObject({ watched: true });
});
