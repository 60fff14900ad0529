import { join } from 'node:path';
import { entriesOf } from '../../base/listing.ts';
import { removeTree } from '../../base/removeTree.ts';
import { sweepLock } from '../files/processLock.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { removeIfEmpty } from '../../base/removeIfEmpty.ts';

/** The content of `.nancy/deployed` of earlier versions: originals, skills on their way in and out, and half-written files. */
const OWN = /^(?:[0-9a-f]{16,64}\.original|(?:skill|old)-[0-9a-f]{8}|\.[0-9a-f]{12}\.tmp)$/;

/**
 * Removes the records that earlier versions of Nancy kept below `.nancy`. Agents can write there, so these records prove nothing. An
 * earlier version in another window then finds nothing deployed, and does not undo this version's deployment.
 */
export async function removeEarlierRecords(workspace: Workspace): Promise<void> {
	const { originals, root } = workspace.paths;
	workspace.refuseLinks();
	for (const { name } of await entriesOf(originals)) {
		if (OWN.test(name)) await removeTree(join(originals, name));
	}
	await removeIfEmpty(originals);
	await sweepLock(join(root, 'deploy.lock'));
	if (!('deployments' in (await workspace.config()))) return;
	await workspace.updateConfig(({ deployments: _earlier, ...config }) => config);
}
