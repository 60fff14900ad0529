import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { CollectorLock } from '../traffic/collectorLock.ts';
import type { Workspace } from '../workspace.ts';

const PATIENCE_MS = 10_000;
const STEP_MS = 25;

/** One deployment at a time over all windows and commands, for they share settings files and config.json. */
export async function deploymentLock<T>(workspace: Workspace, run: () => Promise<T>): Promise<T> {
	const file = join(workspace.paths.root, 'deploy.lock');
	const lock = new CollectorLock(file);
	const givenUpAt = Date.now() + PATIENCE_MS;
	while (!(await lock.hold())) {
		if (Date.now() > givenUpAt)
			throw new NancyError('busy', `another Nancy is deploying; ${file} names its process`);
		await sleep(STEP_MS);
	}
	try {
		return await run();
	} finally {
		await lock.release();
	}
}
