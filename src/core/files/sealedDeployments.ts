import { SealedDeployments } from '../../protocol/deployment.ts';
import type { OwnFolder } from './ownFolder.ts';

/** In the user's own records of a workspace: all deployments there, and the facts that undo them. */
export const DEPLOYMENT = 'deployment';
export const RECORD = 'record.json';

/**
 * `undefined` without a deployment.
 * @throws NancyError `bad-file` for an unreadable record
 */
export function readSealed(own: OwnFolder): Promise<SealedDeployments | undefined> {
	return own.read(SealedDeployments, DEPLOYMENT, RECORD);
}
