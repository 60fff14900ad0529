/**
 * Every operation by its name. The `nancy` command loads one only when it is used: to load all of them takes longer than to start
 * Node.
 */
export const operations = {
	setUp: async () => (await import('./setUp.ts')).setUp,
	update: async () => (await import('./update.ts')).update,
	prepareStart: async () => (await import('./prepareStart.ts')).prepareStart,
	cleanUp: async () => (await import('./cleanUp.ts')).cleanUp,
	doctor: async () => (await import('./doctor.ts')).doctor,
};
