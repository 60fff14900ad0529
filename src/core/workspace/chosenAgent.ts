import * as z from 'zod/mini';
import { DriverId, type TaskName, type WorkerName } from '../../protocol/names.ts';
import type { WorkerAddress, Workspace } from './workspace.ts';

/** `chosen/<task>/task.json` and `chosen/<task>/workers/<worker>.json` in the user's own records */
const CHOSEN = 'chosen';

const Choice = z.object({
	version: z.literal(1),
	agent: DriverId,
	/** Only for a worker: what it may do unasked in its terminal. Absent if its CLI's settings say that. */
	mode: z.optional(z.string()),
});

type Chooser = Pick<WorkerAddress, 'task'> & { worker?: WorkerName | undefined };

/**
 * The agent CLI that a person has chosen for a task, or for one of its workers. The records in `.nancy` name one too, but agents write
 * there, and could so choose the program that a person starts next. `undefined` for a task of an earlier version, and for a worker that no
 * person has started.
 */
export async function chosenAgent({ own }: Workspace, chooser: Chooser): Promise<DriverId | undefined> {
	return (await own.read(Choice, ...recordOf(chooser)))?.agent;
}

/** The permissions that a person has chosen for a worker of this agent, which go on with its conversation. */
export async function chosenMode(
	{ own }: Workspace,
	worker: WorkerAddress,
	agent: DriverId,
): Promise<string | undefined> {
	const choice = await own.read(Choice, ...recordOf(worker));
	return choice?.agent === agent ? choice.mode : undefined;
}

/** Whether a person has started a task or one of its workers. */
export function isStartedByPerson({ own }: Workspace, task: TaskName): boolean {
	return own.namesSync(CHOSEN, task).length > 0;
}

/** Notes the choice of a person. */
export async function noteChosenAgent(
	{ own }: Workspace,
	chooser: Chooser,
	agent: DriverId,
	mode?: string,
): Promise<void> {
	const choice: z.infer<typeof Choice> = { version: 1, agent, ...(mode !== undefined && { mode }) };
	await own.write(choice, ...recordOf(chooser));
}

/** Forgets the choice for a worker, or all those for a task. */
export async function forgetChosenAgents({ own }: Workspace, chooser: Chooser): Promise<void> {
	await own.remove(...(chooser.worker === undefined ? [CHOSEN, chooser.task] : recordOf(chooser)));
}

function recordOf({ task, worker }: Chooser): [string, ...string[]] {
	return worker === undefined ? [CHOSEN, task, 'task.json'] : [CHOSEN, task, 'workers', `${worker}.json`];
}
