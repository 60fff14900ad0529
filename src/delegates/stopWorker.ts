import { liveness, type ProcessIdentity } from '../base/liveness.ts';
import type { KnownDriver } from '../core/asker/asker.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import { isRunning } from '../core/workspace/workerLife.ts';
import { recordStop } from '../core/start/workerProcess.ts';
import { forgetSealedAgents, startedFor } from '../core/sessions/sealedAgents.ts';
import { isSameAddress, type WorkerAddress, type Workspace } from '../core/workspace/workspace.ts';
import { requireOwnAgent } from '../process/ownAgent.ts';
import { stopTree, type StopOutcome } from '../process/stopTree.ts';
import type { DriverId } from '../protocol/names.ts';
import { stopDelegate } from './delegateQueue.ts';

export interface StopTools {
	tickets: Tickets;
	driverOf: (id: DriverId) => KnownDriver | undefined;
	/** Called once its end counts as intended, before it is asked. */
	onMeant?: () => Promise<void>;
}

/**
 * Ends a worker on purpose. A delegate is ended by its runner, which records the end and reports it. The tickets tell whether a worker is a
 * delegate: the worker's record is below `.nancy`, where agents write. Any other agent is asked to end, and killed with everything below it
 * if it does not.
 * @returns `elsewhere` for an agent of another machine, or of a container that is gone. Nobody can see its process from here, so it counts
 * as stopped from now on.
 * @throws NancyError `not-trusted` for a process that is not the worker's; see also {@link stopDelegate}
 */
export async function stopWorker(
	workspace: Workspace,
	address: WorkerAddress,
	{ tickets, driverOf, onMeant }: StopTools,
): Promise<StopOutcome | 'elsewhere'> {
	if (await stopDelegatesAt(workspace, address, tickets)) return 'stopped';
	const started = startedAs(workspace, address);
	const isSealed = started.length > 0;
	// An agent can also keep Nancy from reading or writing the record.
	const record = await orNothing(isSealed, workspace.worker(address));
	const named = record && isRunning(record) ? record.process : undefined;
	const agents = isSealed || named === undefined ? started : [named];
	if (agents.length === 0) return 'not-running';
	const isElsewhere = agents.every(agent => liveness(agent) === 'unknown');
	if (!isElsewhere)
		for (const { pid } of agents) await requireOwnAgent(pid, workspace, address, record && driverOf(record.agent));
	// Noted first, so that nobody takes its end for a crash.
	if (record) await orNothing(isSealed, recordStop(workspace, address));
	if (isElsewhere) return 'elsewhere';
	const [[outcome = 'not-running']] = await Promise.all([
		Promise.all(agents.map(agent => stopTree(agent))),
		onMeant?.(),
	]);
	// Where no start time tells them apart, a later process with this pid would be the worker.
	forgetSealedAgents(workspace.own.dataFolder);
	return outcome;
}

/** What Nancy started as the worker, whatever the worker's record names: an agent could name another process there, or none. */
function startedAs({ own, folder }: Workspace, address: WorkerAddress): ProcessIdentity[] {
	return startedFor(own.dataFolder, { folder, task: address.task })
		.filter(found => isSameAddress(found.address, address))
		.map(({ process }) => process);
}

/** @param isOptional a failure counts as nothing: otherwise it is thrown */
async function orNothing<T>(isOptional: boolean, work: Promise<T>): Promise<T | undefined> {
	return work.catch((error: unknown) => {
		if (isOptional) return undefined;
		throw error;
	});
}

/** `false`: no delegate with this mailbox is open. A vanished record leaves nothing but the agent's process. */
async function stopDelegatesAt(workspace: Workspace, address: WorkerAddress, tickets: Tickets): Promise<boolean> {
	const store = new Delegates(workspace);
	let isAny = false;
	for (const id of await tickets.openAt(address)) {
		if (!(await store.find(id))) continue;
		await stopDelegate(store, tickets, id);
		isAny = true;
	}
	return isAny;
}
