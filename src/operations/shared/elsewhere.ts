import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { ownRequest } from '../../core/delegates/ownRequest.ts';
import { headlessOf } from '../../core/driver/headlessOf.ts';
import { theDelegate } from '../../core/workspace/named.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { OperationContext } from '../operation.ts';
import { hasHooks } from './hooksChoice.ts';
import type { MessageAt } from './messageAt.ts';
import { ticketsOf } from './ticketsOf.ts';

/** A delegate that works on another machine. */
interface Elsewhere {
	/** It was started there, and nobody knows that it has ended. */
	isRunning: boolean;
	/** Why no message goes there at this moment. */
	held: string | undefined;
}

/** Whether messages reach this agent on another machine: by hooks, which the user may not want, and which not every CLI takes there. */
export async function isSteeredElsewhere(agent: DriverId, context: OperationContext): Promise<boolean> {
	const { driverById } = await import('../../drivers/index.ts');
	const driver = driverById(agent);
	return driver !== undefined && headlessOf(driver).settingsFrom !== 'none' && (await hasHooks(context));
}

/**
 * A message that was carried to another machine may wait here again after a kill. Until the machine was asked, nobody takes it back or changes
 * its words: its agent may read them.
 * @throws NancyError `not-queued`
 */
export async function refuseCarried(
	{ id: message, ...address }: MessageAt,
	context: Pick<OperationContext, 'dataFolder' | 'workspace'>,
): Promise<void> {
	const tickets = ticketsOf(context);
	for (const id of await tickets.openAt(address)) {
		const { phase, carried } = (await tickets.remotePhase(id)) ?? {};
		if (phase === 'submitted' && carried?.includes(message))
			throw new NancyError('not-queued', phrase`message ${message} ${phrase`is being delivered at this moment`}`);
	}
}

/**
 * The delegate of a mailbox, if it works on another machine.
 * @throws NancyError `wrong-state` if messages cannot reach it there
 */
export async function delegateElsewhere(
	address: WorkerAddress,
	context: OperationContext,
): Promise<Elsewhere | undefined> {
	const tickets = ticketsOf(context);
	for (const id of await tickets.openAt(address)) {
		const record = (await ownRequest(new Delegates(context.workspace), tickets, id))?.record;
		if (record?.on === undefined) continue;
		const { phase, isSteered, unreachableSince } = (await tickets.remotePhase(id)) ?? {};
		if (!(isSteered ?? (await isSteeredElsewhere(record.agent, context)))) {
			throw new NancyError(
				'wrong-state',
				phrase`${theDelegate(id)} runs on ${record.on}, where its agent has no hooks and hears nothing; stop it, or wait for its result`,
			);
		}
		return {
			isRunning: phase === 'submitting' || phase === 'submitted',
			held:
				unreachableSince === undefined ? undefined : `${record.on} cannot be reached since ${unreachableSince}`,
		};
	}
	return undefined;
}
