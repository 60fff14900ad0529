import { refuseTracked } from '../git/refuseTracked.ts';
import { requireTrust, type OperationContext } from './operation.ts';

/**
 * Every operation that starts agents, deploys, or hands something to agents asks this first.
 * @throws NancyError `not-trusted` in Restricted Mode, and if the workspace's `.nancy` came with the repository
 */
export async function permitUse(context: OperationContext): Promise<void> {
	requireTrust(context);
	await refuseTracked(context.workspace);
}
