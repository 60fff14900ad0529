import { ownMachine } from '../../base/machine.ts';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { sessionBinding } from '../../core/sessions/bindings.ts';
import { isWorker, sealedAgent } from '../../core/sessions/sealedAgents.ts';
import { isSameAddress, type WorkerAddress } from '../../core/workspace/workspace.ts';
import { driverById } from '../../drivers/index.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { OperationContext } from '../operation.ts';

/** An asking agent's mailbox, its CLI, and the session that it is in. */
export interface OwnMailbox {
	address: WorkerAddress;
	driver: Driver;
	session: SessionId;
}

type Place = Pick<OperationContext, 'workspace' | 'dataFolder'>;

/**
 * The mailbox of the asking agent itself. A session that is named must be known as that worker's. An agent that the worker has started for
 * itself is below the worker's process, and gets none of its messages.
 * @param named the session, as the agent's CLI names it; `undefined` where it does not
 * @throws NancyError `not-trusted` if no mailbox is the asker's, `starting` before its first event
 */
export async function ownMailbox(asker: Asker, context: Place, named: SessionId | undefined): Promise<OwnMailbox> {
	const { workspace } = context;
	const bound = named && (await sessionBinding(workspace, named))?.address;
	const address = ownAddress(asker) ?? (bound && isCalledAs(asker, bound, context) ? bound : undefined);
	const isBelowOther = named === undefined && asker.is === 'agent' && asker.through !== undefined;
	const isOther = isBelowOther || (named !== undefined && address && !(bound && isSameAddress(bound, address)));
	if (!address || isOther)
		throw new NancyError(
			'not-trusted',
			phrase`Nancy knows no mailbox of this session: its hooks have not called here, or another agent has started it`,
		);
	const record = await workspace.worker(address);
	const driver = record && driverById(record.agent);
	const session = record?.sessions.at(-1)?.id;
	if (driver && session) return { address, driver, session };
	throw new NancyError('starting', phrase`Nancy does not know this session yet; try again after the next tool call`);
}

/** For a session that nobody started with Nancy: whether the hooks of the asking process have called as this worker. */
function isCalledAs(asker: Asker, address: WorkerAddress, { workspace, dataFolder }: Place): boolean {
	if (asker.is === 'human' || !asker.process) return false;
	const { pid, startedTicks } = asker.process;
	const sealed = sealedAgent(dataFolder, { machine: ownMachine(), pid, startedTicks });
	return sealed !== undefined && isWorker(sealed, { folder: workspace.folder, address });
}
