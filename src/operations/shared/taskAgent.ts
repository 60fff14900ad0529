import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theAgent, theTask, theWorker } from '../../core/workspace/named.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { chosenAgent, noteChosenAgent } from '../../core/workspace/chosenAgent.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { DriverId, TaskName } from '../../protocol/names.ts';
import type { TaskRecord, WorkerRecord } from '../../protocol/records.ts';

/** The agent of a task, as a person chose it. */

/**
 * The agent that a person chose for the worker or the task. An agent that asks may start its own without such a choice.
 * @throws NancyError `bad-usage` if no person did, or the worker's record names another one: an agent may have written the record
 */
export async function chosenBefore(
	asker: Asker,
	workspace: Workspace,
	{ name: task, agent }: TaskRecord,
	earlier: WorkerRecord | undefined,
): Promise<DriverId | undefined> {
	const chosen = await chosenAgent(workspace, { task, worker: earlier?.name });
	const filed = earlier?.agent ?? agent;
	if (chosen !== undefined && (!earlier || chosen === filed)) return chosen;
	if (asker.is === 'agent') return undefined;
	const what = earlier ? theWorker({ task, worker: earlier.name }) : theTask(task);
	throw new NancyError(
		'bad-usage',
		chosen === undefined
			? phrase`name the agent for ${what} with --agent: its record in .nancy says ${theAgent(filed)}, but agents can write that,
				and Nancy has not noted that you chose it`
			: phrase`name the agent for ${what} with --agent: you started it with ${theAgent(chosen)}, but its record in .nancy says ${theAgent(filed)} by now`,
	);
}

/** A new task's is noted before the task is there: others may find the task at once. */
export async function noteTaskChoice(
	workspace: Workspace,
	task: TaskName,
	known: TaskRecord | undefined,
	agent: DriverId,
): Promise<void> {
	const isNoted = known !== undefined && (await chosenAgent(workspace, { task })) !== undefined;
	if (!isNoted) await noteChosenAgent(workspace, { task }, agent);
}
