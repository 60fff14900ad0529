import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { ownRequest } from '../../core/delegates/ownRequest.ts';
import { headlessOf } from '../../core/driver/headlessOf.ts';
import { theDelegate } from '../../core/workspace/named.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { ExecutorId } from '../../protocol/executorId.ts';
import type { DriverId, MessageId } from '../../protocol/names.ts';
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

/** The open delegate on another machine whose agent may read this message there, because it was carried. */
export async function carrierOf(
	{ id: message, ...address }: MessageAt,
	context: Pick<OperationContext, 'dataFolder' | 'workspace'>,
): Promise<{ id: DelegateId; on: ExecutorId } | undefined> {
	const tickets = ticketsOf(context);
	for (const id of await tickets.openAt(address)) {
		const { phase, carried } = (await tickets.remotePhase(id)) ?? {};
		if (phase !== 'submitted' || !carried?.includes(message)) continue;
		const on = (await ownRequest(new Delegates(context.workspace), tickets, id))?.record.on;
		if (on === undefined) throw beingDelivered(message);
		return { id, on };
	}
	return undefined;
}

/**
 * Takes back or changes a message that waits here, while no runner carries it. One that was carried may wait here again after a kill, though
 * its agent may read it there.
 * @throws NancyError `not-queued` if it was carried
 */
export async function unlessCarried<T>(
	message: MessageAt,
	context: Pick<OperationContext, 'dataFolder' | 'workspace'>,
	act: () => Promise<T>,
): Promise<T> {
	const { id: _, ...address } = message;
	const tickets = ticketsOf(context);
	let alone = async () => {
		if (await carrierOf(message, context)) throw beingDelivered(message.id);
		return act();
	};
	for (const id of await tickets.openAt(address)) {
		const inner = alone;
		alone = () => tickets.alone(id, inner);
	}
	return alone();
}

export function beingDelivered(id: MessageId): NancyError {
	return new NancyError('not-queued', phrase`message ${id} ${phrase`is being delivered at this moment`}`);
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
