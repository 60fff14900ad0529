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
	send: async () => (await import('./send.ts')).send,
	stop: async () => (await import('./stop.ts')).stop,
	delegate: async () => (await import('./delegate.ts')).delegate,
	stopDelegate: async () => (await import('./stopDelegate.ts')).stopDelegate,
	resumeDelegates: async () => (await import('./resumeDelegates.ts')).resumeDelegates,
	deleteDelegate: async () => (await import('./deleteDelegate.ts')).deleteDelegate,
	deleteDelegates: async () => (await import('./deleteDelegates.ts')).deleteDelegates,
	verifyWorktree: async () => (await import('./verifyWorktree.ts')).verifyWorktree,
	worktreeChanges: async () => (await import('./worktreeChanges.ts')).worktreeChanges,
	fileAtBase: async () => (await import('./fileAtBase.ts')).fileAtBase,
	mergeWorktree: async () => (await import('./mergeWorktree.ts')).mergeWorktree,
	worktreeLoss: async () => (await import('./worktreeLoss.ts')).worktreeLoss,
	removeWorktree: async () => (await import('./removeWorktree.ts')).removeWorktree,
};
