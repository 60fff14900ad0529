import { SealedDeployments } from '../../protocol/deployment.ts';
import type { OwnFolder } from '../files/ownFolder.ts';

/** Among the user's own records of a workspace: all that is deployed into it, and what gives it back. */
export const DEPLOYMENT = 'deployment';
export const RECORD = 'record.json';

/** `undefined` where nothing is deployed. @throws NancyError `bad-file` for a record that cannot be read */
export function readSealed(own: OwnFolder): Promise<SealedDeployments | undefined> {
	return own.read(SealedDeployments, DEPLOYMENT, RECORD);
}
