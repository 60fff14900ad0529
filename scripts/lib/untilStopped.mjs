import { randomUUID } from 'node:crypto';
import { stopMarked } from '../../src/process/marked.ts';
import { TEST_RUN } from '../../test/support/testRun.ts';

/**
 * Does `work`, which starts programs. When this process is told to stop, the signal that `work` gets is aborted. At its end every program that
 * is left is ended: servers have process groups of their own, and a test process that is killed cannot end them.
 * @param {(stopped: AbortSignal) => Promise<void>} work
 * @returns {Promise<boolean>} whether it was told to stop
 */
export async function untilStopped(work) {
	const stop = new AbortController();
	const abort = () => stop.abort();
	const told = ['SIGINT', 'SIGTERM', 'SIGHUP'];
	for (const signal of told) process.once(signal, abort);
	const mark = randomUUID();
	process.env[TEST_RUN] = mark;
	try {
		await work(stop.signal);
	} finally {
		if (stop.signal.aborted) await stopMarked(TEST_RUN, mark);
		delete process.env[TEST_RUN];
		for (const signal of told) process.off(signal, abort);
	}
	return stop.signal.aborted;
}
