import { Tickets } from '../../core/delegates/tickets.ts';
import type { OperationContext } from '../operation.ts';

/** The requests of this user on this machine. */
export function ticketsOf({ dataFolder, workspace }: Pick<OperationContext, 'dataFolder' | 'workspace'>): Tickets {
	return new Tickets(dataFolder, workspace.folder);
}
