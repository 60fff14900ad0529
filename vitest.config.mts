import { defineConfig } from 'vitest/config';

/** Real agents and windows need a machine to themselves, so their files run one after another. */
const serial = { fileParallelism: false, testTimeout: 60_000, hookTimeout: 90_000, teardownTimeout: 10_000 };

export default defineConfig({
	test: {
		projects: [
			{ test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 15_000 } },
			{ test: { name: 'agent', include: ['test/agent/**/*.agent.test.ts'], ...serial } },
			{ test: { name: 'e2e', include: ['test/e2e/**/*.e2e.test.ts'], ...serial } },
		],
	},
});
