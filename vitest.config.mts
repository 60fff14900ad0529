import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { HANG_MS, TEST_HANGS_MS } from './test/support/eventually.ts';

/** Much of a unit test's time is waiting for processes and disks, and they yield to the other tests of `npm test`. */
const oneMoreThanCores = availableParallelism() + 1;
/** A test with many rounds (`npm run faults`) takes as long as it takes: a step of it that hangs is found out by itself. */
const hasManyRounds = ['NANCY_ROUNDS', 'NANCY_STRIDE', 'NANCY_CASES', 'NANCY_WATCHED'].some(
	name => process.env[name] !== undefined,
);
/** They find out what hangs, and measure nothing. */
const limits = {
	expect: { poll: { timeout: HANG_MS } },
	testTimeout: hasManyRounds ? 3_600_000 : TEST_HANGS_MS,
	hookTimeout: TEST_HANGS_MS,
	teardownTimeout: HANG_MS,
};

/** V8's code of the programs that tests start hundreds of times, Nancy's and the CLIs': a twentieth of the run is compiling without it. */
const env = { NODE_COMPILE_CACHE: join(import.meta.dirname, 'out', 'compiled') };

const globalSetup = 'test/support/buildPrograms.ts';

/** A process for each file costs half a second of a core; what a file changes in its own it puts back. */
const together = { isolate: false };

const unit = {
	globalSetup,
	env,
	...limits,
	maxWorkers: oneMoreThanCores,
	...together,
	sequence: { groupOrder: 1 },
};
/** Whose tests start git, thousands of times. They have processes of their own, which do not hold what other tests have loaded. */
const git = ['test/unit/git/**/*.test.ts', 'test/{unit,security}/**/*{git,Git,merges}*.test.ts'];
/**
 * Starting a program copies the tables of all memory in use: 3 ms with 40 MB, 15 ms with 180 MB. So little of it is garbage. Each page is
 * taken back at its next use, and any other core that runs a thread of the process then has to forget it. So V8 has no threads.
 */
const forStarting = ['--max-semi-space-size=1', '--heap-growing-percent=30', '--single-threaded'];
/** Whose tests start programs, hundreds of them. */
const starting = [
	...['cli', 'delegates', 'faults', 'git', 'hook', 'process', 'scripts'].map(
		folder => `test/unit/${folder}/**/*.test.ts`,
	),
	'test/security/**/*.test.ts',
];

export default defineConfig({
	test: {
		tags: [
			{
				name: 'long',
				description:
					'The same behaviour of another agent, or once more in another shape: `npm run faults` has it.',
			},
			{ name: 'first', description: 'What the tests with the tag `long` of its file go on from.' },
		],
		projects: [
			{
				test: {
					name: 'unit-programs',
					include: starting,
					exclude: git,
					...unit,
					execArgv: forStarting,
				},
			},
			{
				test: {
					name: 'unit-git',
					include: git,
					...unit,
					execArgv: forStarting,
				},
			},
			{
				test: {
					name: 'unit',
					include: ['test/unit/**/*.test.ts'],
					exclude: [...starting, ...git],
					setupFiles: 'test/support/sameCases.ts',
					...unit,
				},
			},
			{
				test: {
					name: 'agent',
					include: ['test/agent/**/*.agent.test.ts'],
					globalSetup,
					env,
					...limits,
					...together,
					// One file at a time keeps less than one core busy: a CLI also waits by its own clock.
					maxWorkers: 2,
					sequence: { groupOrder: 2 },
				},
			},
			{
				// Not of `npm test`: the first run builds Kubernetes. `npm run test:k8s` has it.
				test: {
					name: 'k8s',
					include: ['test/k8s/**/*.k8s.test.ts'],
					globalSetup,
					env,
					...limits,
					maxWorkers: 1,
					sequence: { groupOrder: 4 },
				},
			},
			{
				test: {
					name: 'e2e',
					// Seals of what tests queue are not the developer's own.
					env: { XDG_DATA_HOME: join(tmpdir(), `nancy-e2e-${process.pid}`) },
					include: ['test/e2e/**/*.e2e.test.ts'],
					setupFiles: 'test/support/shownFailures.ts',
					...limits,
					...together,
					maxWorkers: 2,
					sequence: { groupOrder: 3 },
				},
			},
		],
	},
});
