import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesOf } from '../../base/listing.ts';
import { ProcessLock, sweepLock } from '../files/processLock.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { removeIfEmpty } from './emptyFolders.ts';

/** What earlier versions put into `.nancy/deployed`: originals, skills on their way in and out, and files that were being written. */
const OWN = /^(?:[0-9a-f]{16,64}\.original|(?:skill|old)-[0-9a-f]{8}|\.[0-9a-f]{12}\.tmp)$/;

/**
 * Removes the records that earlier versions of Nancy kept below `.nancy`, where agents can write: they prove nothing. An earlier
 * version that still runs in another window takes nothing for deployed then, and so does not undo what this one deploys.
 */
export async function removeEarlierRecords(workspace: Workspace): Promise<void> {
	const { originals, root } = workspace.paths;
	workspace.refuseLinks();
	for (const { name } of await entriesOf(originals)) {
		if (OWN.test(name)) await rm(join(originals, name), { recursive: true, force: true });
	}
	await removeIfEmpty(originals);
	const lockFile = join(root, 'deploy.lock');
	if ((await entriesOf(root)).some(({ name }) => name === 'deploy.lock')) {
		const lock = new ProcessLock(lockFile);
		if (await lock.hold()) await lock.release();
	}
	await sweepLock(lockFile);
	if (!('deployments' in (await workspace.config()))) return;
	await workspace.updateConfig(({ deployments: _earlier, ...config }) => config);
}
