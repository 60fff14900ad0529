import type { KnownDriver } from '../core/asker/asker.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import { isRunning, recordStop } from '../core/driver/launch.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { requireOwnAgent } from '../process/ownAgent.ts';
import { stopTree, type StopOutcome } from '../process/stopTree.ts';
import { DelegateId } from '../protocol/delegate.ts';
import type { DriverId } from '../protocol/names.ts';
import { stopDelegate } from './delegateQueue.ts';

export interface StopTools {
	tickets: Tickets;
	driverOf: (id: DriverId) => KnownDriver | undefined;
	/** Called for a delegate, before anything is done. Throws if the asker may not stop it. */
	permit?: (id: DelegateId) => Promise<void>;
	/** Called once its end counts as intended, before it is asked. */
	onMeant?: () => Promise<void>;
}

/**
 * Ends a worker on purpose. A delegate is ended by its runner, which records the end and reports it. Any other agent is asked to end, and
 * killed with everything below it if it does not.
 * @throws NancyError `not-trusted` for a process that is not the worker's; see also {@link stopDelegate}
 */
export async function stopWorker(
	workspace: Workspace,
	address: WorkerAddress,
	{ tickets, driverOf, permit, onMeant }: StopTools,
): Promise<StopOutcome> {
	const record = await workspace.worker(address);
	if (!record) return 'not-running';
	const store = new Delegates(workspace);
	const id = await openDelegateOf(store, tickets, address, record.delegate);
	if (id !== undefined) {
		await permit?.(id);
		await stopDelegate(store, tickets, id);
		return 'stopped';
	}
	if (!record.process || !isRunning(record)) return 'not-running';
	requireOwnAgent(record.process.pid, workspace, address, driverOf(record.agent));
	// Noted first, so that nobody takes its end for a crash.
	await recordStop(workspace, address);
	const [outcome] = await Promise.all([stopTree(record.process), onMeant?.()]);
	return outcome;
}

/** The unfinished delegate with this mailbox. Somebody may continue the session of an ended one in a terminal. */
async function openDelegateOf(
	store: Delegates,
	tickets: Tickets,
	{ task, worker }: WorkerAddress,
	named: string | undefined,
): Promise<DelegateId | undefined> {
	const id = DelegateId.safeParse(named);
	if (!id.success) return undefined;
	const facts = await tickets.facts(id.data);
	if (!facts || facts.end) return undefined;
	// The worker's record may name any delegate.
	const request = await ownRequest(store, tickets, id.data);
	return request?.record.task === task && request.record.worker === worker ? id.data : undefined;
}
