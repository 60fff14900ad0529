import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundledChild } from './bundledChild.ts';

const run = promisify(execFile);

/**
 * Runs a job of test/fixtures/children in a process that dies before its n-th file call.
 * @returns the signal it died of, `finished` when it came to its end before, else what it complained of
 */
export async function killedAt(call: number, job: string, args: readonly string[]): Promise<string | undefined> {
	try {
		await run(process.execPath, [bundledChild('killedAt'), `${call}`, bundledChild(job), ...args]);
		return 'finished';
	} catch (error) {
		const { signal, stderr } = error as { signal?: string; stderr?: string };
		return signal ?? stderr;
	}
}
