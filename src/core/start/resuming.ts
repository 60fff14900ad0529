import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theAgent, theWorker } from '../workspace/named.ts';
import { formatVersion, type Version } from '../../base/version.ts';
import type { TaskName, WorkerName } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { can } from '../driver/abilities.ts';
import type { Driver } from '../driver/driver.ts';
import { RESUME_PROMPT } from '../driver/hooks.ts';
import { hasBegun } from '../workspace/workerLife.ts';
import { wakes } from '../mailbox/due.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/**
 * The worker to continue: the named one, or without a name the one that ran last. Its agent is started.
 * @throws NancyError `no-task` if there is no conversation to continue
 */
export async function workerToResume(
	workspace: Workspace,
	task: TaskName,
	worker: WorkerName | undefined,
): Promise<WorkerRecord> {
	const record = worker ? await workspace.worker({ task, worker }) : await lastWorker(workspace, task);
	// The runner of a delegate knows its session without hooks.
	if (record && (record.delegate === undefined ? hasBegun(record) : record.sessions.length > 0)) return record;
	if (!record || record.delegate !== undefined)
		throw new NancyError(
			'no-task',
			phrase`there is no conversation to resume: the agent has never begun one; start another worker`,
		);
	throw new NancyError(
		'no-task',
		phrase`${theWorker({ task, worker: record.name })} has not begun a conversation; start it again with ${`nancy orchestrate ${task} --worker ${record.name}`}`,
	);
}

async function lastWorker(workspace: Workspace, task: TaskName): Promise<WorkerRecord | undefined> {
	const { workers } = await workspace.workers(task);
	// A delegate's session belongs to its runner, and is continued only by name.
	const own = workers.filter(record => record.delegate === undefined);
	return own.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)).at(-1);
}

/** Throws if this agent cannot continue the worker's last conversation: no CLI reads those of another. */
export function refuseResume(driver: Driver, version: Version, { task, name, agent }: WorkerRecord): void {
	if (!can(driver, 'resume', version)) {
		throw new NancyError(
			'agent-too-old',
			phrase`${driver.displayName} ${formatVersion(version)} cannot resume a session`,
		);
	}
	if (agent === driver.id) return;
	throw new NancyError(
		'bad-usage',
		phrase`the conversation of ${theWorker({ task, worker: name })} is one of ${theAgent(agent)}, which ${driver.displayName} cannot resume; resume it with ${theAgent(agent)}, or start another worker`,
	);
}

/** Throws if this agent cannot begin a conversation as a copy of the worker's last one. */
export function refuseFork(driver: Driver, version: Version, { task, name, agent }: WorkerRecord): void {
	if (!can(driver, 'fork', version)) {
		throw new NancyError(
			'agent-too-old',
			phrase`${driver.displayName} ${formatVersion(version)} cannot fork a conversation`,
		);
	}
	if (agent === driver.id) return;
	throw new NancyError(
		'bad-usage',
		phrase`the conversation of ${theWorker({ task, worker: name })} is one of ${theAgent(agent)}, which ${driver.displayName} cannot fork; fork it with ${theAgent(agent)}`,
	);
}

/** The first prompt of a resumed agent if messages wait for it and it may not watch its doorbell. */
export async function wakingPrompt(
	workspace: Workspace,
	driver: Driver,
	version: Version,
	address: WorkerAddress,
): Promise<string | undefined> {
	if (driver.hooks.hearsWhenResumed && can(driver, 'wake', version)) return undefined;
	const { messages } = await workspace.mailbox(address).list(['queued']);
	return messages.some(message => wakes(message.content)) ? RESUME_PROMPT : undefined;
}
