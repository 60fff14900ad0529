import { dataFolder } from '../base/folders.ts';
import { Tickets } from '../core/delegates/tickets.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import { stopWorker } from '../delegates/stopWorker.ts';
import { driverById } from '../drivers/index.ts';
import type { Folder } from '../ui/ports.ts';
import { requireTrust } from '../ui/trust.ts';

/** See `Operations.stop`. */
export async function stop({ workspace }: Folder, address: WorkerAddress, onMeant: () => Promise<void>): Promise<void> {
	requireTrust();
	const tickets = new Tickets(dataFolder(), workspace.folder);
	await stopWorker(workspace, address, { tickets, driverOf: driverById, onMeant });
}
