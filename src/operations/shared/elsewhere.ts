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
		if (!(await isSteeredElsewhere(record.agent, context))) {
			throw new NancyError(
				'wrong-state',
				phrase`${theDelegate(id)} runs on ${record.on}, where its agent has no hooks and hears nothing; stop it, or wait for its result`,
			);
		}
		const { phase, unreachableSince } = (await tickets.remotePhase(id)) ?? {};
		return {
			isRunning: phase === 'submitting' || phase === 'submitted',
			held:
				unreachableSince === undefined ? undefined : `${record.on} cannot be reached since ${unreachableSince}`,
		};
	}
	return undefined;
}
