import * as z from 'zod/mini';
import { isSameProcess, liveness, type ProcessIdentity } from '../../base/liveness.ts';
import { TaskName, WorkerName } from '../../protocol/names.ts';
import { ProcessRecord } from '../../protocol/records.ts';
import { isSameAddress, type WorkerAddress, type Workspace } from '../workspace/workspace.ts';

const FOLDER = 'agents';

/** `agents/<pid>-<machine>.json` in the user's own records: the worker that an agent's process is, by its hooks. */
const SealedAgent = z.looseObject({
	version: z.literal(1),
	process: ProcessRecord,
	task: TaskName,
	worker: WorkerName,
});

/** Notes which worker a process is. Only this lets Nancy end an agent that Nancy has not started. */
export async function sealAgent(workspace: Workspace, process: ProcessIdentity, address: WorkerAddress): Promise<void> {
	const known = await sealedWorkerOf(workspace, process);
	if (known && isSameAddress(known, address)) return;
	const { task, worker } = address;
	await workspace.own.write({ version: 1, process, task, worker }, FOLDER, fileOf(process));
}

/** `undefined` for a process whose hooks have not called yet, or called only an earlier version. */
export async function sealedWorkerOf(
	workspace: Workspace,
	process: ProcessIdentity,
): Promise<WorkerAddress | undefined> {
	const sealed = await workspace.own.read(SealedAgent, FOLDER, fileOf(process));
	if (!sealed || !isSameProcess(sealed.process, process)) return undefined;
	return { task: sealed.task, worker: sealed.worker };
}

/** Removes the seals of processes that have ended. */
export async function forgetSealedAgents({ own }: Workspace): Promise<void> {
	for (const name of own.namesSync(FOLDER)) {
		const sealed = await own.read(SealedAgent, FOLDER, name);
		if (sealed && liveness(sealed.process) === 'dead') await own.remove(FOLDER, name);
	}
}

function fileOf({ machine, pid }: ProcessIdentity): string {
	return machine === undefined ? `${pid}.json` : `${pid}-${machine}.json`;
}
