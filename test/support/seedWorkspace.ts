import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Collector } from '../../src/core/live/collector.ts';
import { spoolFileName } from '../../src/core/traffic/spoolName.ts';
import { Workspace, type WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { drivers } from '../../src/drivers/index.ts';
import { DriverId, FIRST_WORKER, ORCHESTRATOR, SessionId, TaskName } from '../../src/protocol/names.ts';
import { addBoundWorker } from './boundWorker.ts';
import { BY_USER, messageContent } from './messageContent.ts';
import { taskRecord } from './taskRecord.ts';

const AGENT = DriverId.parse('claude-code');

/** Writes a hook event where the guard of a running agent would, in a file of its session's own. */
export function spool(workspace: Workspace, session: string, event: string, payload: object, unique: string): void {
	const whole = {
		session_id: session,
		cwd: workspace.folder,
		hook_event_name: event,
		prompt_id: 'prompt-1',
		...payload,
	};
	writeFileSync(
		join(workspace.paths.spool, spoolFileName(AGENT, event, `${session}-${unique}`)),
		JSON.stringify(whole),
	);
}

/**
 * A folder in which Nancy was used: a task whose agent has stopped, what it did, a message from it, and `queued` messages
 * for it. Everything is made by Nancy's own code, so it is what Nancy leaves.
 */
export async function seedWorkspace(
	folder: string,
	{
		title,
		session,
		queued = [],
		dataFolder,
	}: { title: string; session: string; queued?: readonly string[]; dataFolder?: string },
): Promise<{ workspace: Workspace; address: WorkerAddress }> {
	const workspace = new Workspace(folder, dataFolder);
	const name = TaskName.parse(title.toLowerCase().replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, ''));
	const address = { task: name, worker: FIRST_WORKER };
	await workspace.createTask(taskRecord(name, AGENT, { title, prompt: `Please ${title.toLowerCase()}` }));
	await addBoundWorker(workspace, address, { agent: AGENT, session: SessionId.parse(session) });
	const tool = { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'toolu_1' };
	spool(workspace, session, 'UserPromptSubmit', { prompt: `Please ${title.toLowerCase()}` }, '1');
	spool(workspace, session, 'PreToolUse', tool, '2');
	spool(workspace, session, 'PostToolUse', { ...tool, tool_response: {}, duration_ms: 1200 }, '3');
	spool(workspace, session, 'Stop', { last_assistant_message: 'The tests pass.' }, '4');
	const collector = new Collector(workspace, drivers);
	await collector.collect();
	await collector.close();
	for (const text of queued) await workspace.send(address, messageContent(text), BY_USER);
	const author = { is: 'agent', worker: `${name}/${FIRST_WORKER}` } as const;
	await workspace.send({ task: name, worker: ORCHESTRATOR }, messageContent('Which port do you want?'), author);
	return { workspace, address };
}
