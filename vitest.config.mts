import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** On a shared runner a second try tells a slow moment from a defect; on one's own machine a test passes or fails. */
const retry = process.env['CI'] ? 2 : 0;
/** Real agents and windows need a machine to themselves, so their files run one after another. */
const serial = {
	expect: { poll: { timeout: 15_000 } },
	retry,
	fileParallelism: false,
	testTimeout: 60_000,
	hookTimeout: 90_000,
	teardownTimeout: 10_000,
};

export default defineConfig({
	test: {
		// Most of a test's time here is waiting for processes and disks: two at a time also on two cores.
		maxWorkers: Math.max(2, availableParallelism() - 1),
		projects: [
			{ test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 15_000, retry } },
			{ test: { name: 'agent', include: ['test/agent/**/*.agent.test.ts'], ...serial } },
			{ test: { name: 'e2e', include: ['test/e2e/**/*.e2e.test.ts'], ...serial } },
		],
	},
});
