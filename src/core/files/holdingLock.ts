import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { removeIfEmpty } from '../../base/removeIfEmpty.ts';
import { RENEWAL_MS } from './leases.ts';
import type { OwnFolder } from './ownFolder.ts';
import { ProcessLock } from './processLock.ts';

const PATIENCE_MS = 10_000;
const STEP_MS = 10;

/**
 * Runs a read-change-write step alone, over all windows, commands and hooks.
 * @param patienceMs after this wait the error is `busy`
 */
export async function holdingLock<T>(file: string, run: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
	const lock = new ProcessLock(file);
	const givenUpAt = Date.now() + patienceMs;
	while (!(await lock.hold())) {
		if (Date.now() > givenUpAt)
			throw new NancyError('busy', phrase`another Nancy is at work here; ${file} names its process. Try again`);
		await sleep(STEP_MS);
	}
	const renewing = setInterval(() => void lock.renew().catch(() => undefined), RENEWAL_MS).unref();
	try {
		return await run();
	} finally {
		clearInterval(renewing);
		await lock.release();
	}
}

/**
 * {@link holdingLock} among the user's records, where no agent writes. In a lock below the workspace an agent can name any living process, and
 * nobody would ever get it.
 */
export async function holdingOwnLock<T>(
	own: OwnFolder,
	name: string,
	run: () => Promise<T>,
	patienceMs?: number,
): Promise<T> {
	const folder = await own.makeFolder();
	try {
		return await holdingLock(join(folder, name), run, patienceMs);
	} finally {
		await removeIfEmpty(folder);
	}
}
