import { requireOwnName } from '../git/placeBeside.ts';
import type { DelegateRecord } from '../protocol/delegate.ts';

/**
 * The folder that a delegate was asked for.
 * @throws NancyError `not-trusted` if an agent has asked, and the name leads to another folder by now
 */
export function folderOf({ askedBy, place }: DelegateRecord, workspaceFolder: string): string {
	return askedBy?.is === 'agent' ? requireOwnName(workspaceFolder, place.folder) : place.folder;
}
