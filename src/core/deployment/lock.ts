import { setTimeout as sleep } from 'node:timers/promises';
import { NancyError } from '../../base/errors.ts';
import { ProcessLock } from '../processLock.ts';

const PATIENCE_MS = 10_000;
const STEP_MS = 25;

/** One at a time over all windows and commands: settings files and config.json are read, changed and written as one. */
export async function holdingLock<T>(file: string, run: () => Promise<T>): Promise<T> {
	const lock = new ProcessLock(file);
	const givenUpAt = Date.now() + PATIENCE_MS;
	while (!(await lock.hold())) {
		if (Date.now() > givenUpAt)
			throw new NancyError('busy', `another Nancy is at work here; ${file} names its process. Try again`);
		await sleep(STEP_MS);
	}
	try {
		return await run();
	} finally {
		await lock.release();
	}
}
