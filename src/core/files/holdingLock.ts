import { setTimeout as sleep } from 'node:timers/promises';
import { NancyError } from '../../base/errors.ts';
import { Leases } from './leases.ts';
import { ProcessLock } from './processLock.ts';

const PATIENCE_MS = 10_000;
const STEP_MS = 10;

/**
 * One at a time over all windows, commands and hooks: what is read, changed and written as one.
 * @param patienceMs after this long it is `busy`
 */
export async function holdingLock<T>(file: string, run: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
	const lock = new ProcessLock(file);
	const givenUpAt = Date.now() + patienceMs;
	while (!(await lock.hold())) {
		if (Date.now() > givenUpAt)
			throw new NancyError('busy', `another Nancy is at work here; ${file} names its process. Try again`);
		await sleep(STEP_MS);
	}
	const lease = Leases.for(file).keep();
	try {
		return await run();
	} finally {
		lease.dispose();
		await lock.release();
	}
}
