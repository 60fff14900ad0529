import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** On a shared runner a second try tells a slow moment from a defect; on one's own machine a test passes or fails. */
const retry = process.env['CI'] ? 2 : 0;
/** Most of a test's time is waiting for processes, disks and drawn windows: two files at a time also on two cores. */
const twoOrMore = Math.max(2, availableParallelism() - 1);
/** Real agents and windows. */
const slow = {
	expect: { poll: { timeout: 15_000 } },
	retry,
	testTimeout: 60_000,
	hookTimeout: 90_000,
	teardownTimeout: 10_000,
};

const globalSetup = 'test/support/buildPrograms.ts';

const unit = {
	globalSetup,
	testTimeout: 15_000,
	hookTimeout: 60_000,
	retry,
	maxWorkers: twoOrMore,
	// A process for each file costs half a second of a core; what a file changes in its own it puts back.
	isolate: false,
	sequence: { groupOrder: 1 },
};
/** Whose tests start programs, hundreds of them. */
const starting = ['cli', 'delegates', 'faults', 'git', 'hook', 'process'].map(
	folder => `test/unit/${folder}/**/*.test.ts`,
);

export default defineConfig({
	test: {
		projects: [
			{
				test: {
					name: 'unit-programs',
					include: starting,
					...unit,
					// Starting a program copies the tables of all memory in use: 3 ms with 40 MB, 15 ms with 180 MB.
					execArgv: ['--max-semi-space-size=1'],
				},
			},
			{
				test: {
					name: 'unit',
					include: ['test/unit/**/*.test.ts', 'test/security/**/*.test.ts'],
					exclude: starting,
					...unit,
				},
			},
			{
				test: {
					name: 'agent',
					include: ['test/agent/**/*.agent.test.ts'],
					globalSetup,
					...slow,
					// It runs beside the unit tests.
					maxWorkers: 1,
					sequence: { groupOrder: 2 },
				},
			},
			{
				test: {
					name: 'e2e',
					include: ['test/e2e/**/*.e2e.test.ts'],
					...slow,
					testTimeout: 180_000,
					expect: { poll: { timeout: 30_000 } },
					maxWorkers: 2,
					sequence: { groupOrder: 3 },
				},
			},
		],
	},
});
