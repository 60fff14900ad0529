// npm run faults: the tests with the tag `long`, which `npm test` leaves out; then the kill tests with many rounds, before every file
// call, and through many settings files, and two answers that meet many times. It takes an hour and more.
// npm run faults -- --long [phase… [words in file names…]]: the tests with that tag alone.
// npm run faults -- e2e 10 [--busy] [words in file names…]: a phase of `npm test` ten times, also with every core loaded.
// Ends with the line `10 x 0 failed`; what was on the screen at a failure is in out/faults/.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { bootstrap, root } from './lib/bootstrap.mjs';

/** The files whose tests heed these variables. */
const KILL_TESTS = [
	'unit',
	'unit/faults',
	'git/worktreeRemove',
	'delegates/remoteMail',
	'deployment/deploymentFiles',
	'mailbox/mailbox',
	'live/collector',
	'agent',
	'agent/questions',
];
const MANY = { NANCY_ROUNDS: '200', NANCY_STRIDE: '1', NANCY_CASES: '1000', NANCY_RACES: '50' };

await bootstrap();
const { failures, runPhases } = await import('./lib/testPhases.mjs');

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { busy: { type: 'boolean', default: false }, long: { type: 'boolean', default: false } },
});
const isCount = word => /^\d+$/.test(word);
const times = Number(positionals.find(isCount) ?? 1);
const named = positionals.filter(word => !isCount(word));
const isWholeRun = named.length === 0 && !values.long;
if (isWholeRun) process.env = { ...MANY, NANCY_SEED: `${Date.now() % 2 ** 31}`, ...process.env };
if (process.env.NANCY_SEED) console.log(`NANCY_SEED=${process.env.NANCY_SEED} tries the same cases again`);

// Threads of this process: they end with it, however it ends.
const load = values.busy ? availableParallelism() : 0;
const busy = Array.from({ length: load }, () => new Worker('for (;;);', { eval: true }));
const kept = join(root, 'out', 'faults');
await rm(kept, { recursive: true, force: true });
await mkdir(kept, { recursive: true });
/** Each part of a run: the end of its folder's name, phases and words, and which of their tests. */
const longTests = ['-long', named.length > 0 ? named : ['unit', 'agent', 'e2e'], 'long || first'];
const parts = isWholeRun ? [longTests, ['', KILL_TESTS, '!long']] : [values.long ? longTests : ['', named, '!long']];
/** How many runs had so many failures. */
const runs = new Map();
for (let run = 1; run <= times; run++) {
	let failed = 0;
	let isStopped = false;
	for (const [part, args, tests] of parts) {
		const outcome = await runPhases(args, tests);
		failed += outcome.failed;
		isStopped = outcome.isStopped;
		if (existsSync(failures)) await rename(failures, join(kept, `${run}${part}`));
		if (isStopped) break;
	}
	if (isStopped) break;
	runs.set(failed, (runs.get(failed) ?? 0) + 1);
	console.log(`== run ${run} of ${times}: ${failed} failed`);
}
await Promise.all(busy.map(worker => worker.terminate()));
const isWhole = [...runs.values()].reduce((sum, count) => sum + count, 0) === times;
console.log([...runs].map(([failed, count]) => `${count} x ${failed} failed`).join(', '));
process.exitCode = isWhole && runs.get(0) === times ? 0 : 1;
