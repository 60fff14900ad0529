/**
 * Every id that package.json and the code must agree on, in one place; test/unit/manifest.test.ts compares both ways. Free of
 * imports: it is part of what every window loads at start-up.
 */

export const VIEWS = {
	tasks: 'nancy.tasks',
	delegates: 'nancy.delegates',
	inbox: 'nancy.inbox',
	compose: 'nancy.compose',
	traffic: 'nancy.traffic',
} as const;

/** Commands that make sense without a tree item: the palette shows them, and they ask for what they need. */
export const PALETTE_COMMANDS = [
	'nancy.orchestrateTask',
	'nancy.addWorker',
	'nancy.resumeWorker',
	'nancy.stopWorker',
	'nancy.archiveTask',
	'nancy.restoreTask',
	'nancy.deleteTask',
	'nancy.focusTerminal',
	'nancy.sendMessage',
	'nancy.typeWake',
	'nancy.composeMessage',
	'nancy.delegate',
	'nancy.showDelegateOutput',
	'nancy.stopDelegate',
	'nancy.reviewDelegate',
	'nancy.sendBack',
	'nancy.showAttention',
	'nancy.filterTraffic',
	'nancy.clearTrafficFilter',
	'nancy.showArchived',
	'nancy.hideArchived',
	'nancy.setUp',
	'nancy.cleanUp',
	'nancy.doctor',
	'nancy.compareAgents',
	'nancy.showLog',
	'nancy.openWalkthrough',
] as const;

/** Commands that act on the tree item they are called from: hidden from the palette. */
export const ITEM_COMMANDS = [
	'nancy.composeTo',
	'nancy.copySession',
	'nancy.openMessage',
	'nancy.editMessage',
	'nancy.moveMessageUp',
	'nancy.moveMessageDown',
	'nancy.withdrawMessage',
	'nancy.archiveMessage',
	'nancy.reply',
	'nancy.openPayload',
	'nancy.openTranscript',
	'nancy.messageDelegate',
	'nancy.openDelegateLog',
	'nancy.openDelegatePrompt',
	'nancy.openDelegateAnswer',
	'nancy.delegateAgain',
	'nancy.copyDelegate',
	'nancy.mergeDelegate',
	'nancy.openDelegateWorktree',
	'nancy.discardDelegate',
] as const;

/** Commands that act on a review comment: hidden from the palette, too. */
export const COMMENT_COMMANDS = ['nancy.addComment', 'nancy.deleteComment'] as const;

export type CommandId =
	| (typeof PALETTE_COMMANDS)[number]
	| (typeof ITEM_COMMANDS)[number]
	| (typeof COMMENT_COMMANDS)[number];

export const COMMANDS: readonly CommandId[] = [...PALETTE_COMMANDS, ...ITEM_COMMANDS, ...COMMENT_COMMANDS];

/**
 * Commands that start, deploy, deliver or change something: refused in a workspace that is not trusted. Their `enablement` only
 * hides them there; a key or another extension still runs them.
 */
export const ACTING_COMMANDS: ReadonlySet<CommandId> = new Set<CommandId>([
	'nancy.orchestrateTask',
	'nancy.addWorker',
	'nancy.resumeWorker',
	'nancy.stopWorker',
	'nancy.archiveTask',
	'nancy.restoreTask',
	'nancy.deleteTask',
	'nancy.sendMessage',
	'nancy.composeMessage',
	'nancy.composeTo',
	'nancy.typeWake',
	'nancy.setUp',
	'nancy.cleanUp',
	'nancy.editMessage',
	'nancy.moveMessageUp',
	'nancy.moveMessageDown',
	'nancy.withdrawMessage',
	'nancy.archiveMessage',
	'nancy.reply',
	'nancy.delegate',
	'nancy.stopDelegate',
	'nancy.reviewDelegate',
	'nancy.sendBack',
	'nancy.messageDelegate',
	'nancy.delegateAgain',
	'nancy.mergeDelegate',
	'nancy.openDelegateWorktree',
	'nancy.discardDelegate',
	'nancy.addComment',
]);

/** Facts that a user could name, for `when` clauses. */
export const CONTEXT_KEYS = {
	/** There is a task that is not archived. */
	hasTasks: 'nancy.hasTasks',
	/** A worker has been started in this workspace. */
	hasWorkers: 'nancy.hasWorkers',
	/** Nancy looked for agent CLIs and found none. */
	agentMissing: 'nancy.agentMissing',
	/** Nancy looked for agent CLIs and found one. */
	agentFound: 'nancy.agentFound',
	/** A delegate has been started in this workspace. */
	hasDelegates: 'nancy.hasDelegates',
	/** There are review comments that nobody has sent back yet. */
	hasComments: 'nancy.hasComments',
	/** A message has been sent to a worker. */
	hasSent: 'nancy.hasSent',
	/** A hook has reported something. */
	hasTraffic: 'nancy.hasTraffic',
	trafficFiltered: 'nancy.trafficFiltered',
	/** The walkthrough has been opened from Nancy in this window. */
	showsWalkthrough: 'nancy.showsWalkthrough',
	showsArchived: 'nancy.showsArchived',
} as const;

/** Settings that are not named after an agent. Defaults live in package.json alone. */
export const SETTINGS = {
	defaultAgent: 'nancy.defaultAgent',
	model: 'nancy.model',
	tokenThreshold: 'nancy.tokenThreshold',
	hooks: 'nancy.hooks',
	notifyPermission: 'nancy.notifications.permission',
	notifyStopped: 'nancy.notifications.stopped',
	notifyMessage: 'nancy.notifications.message',
	notifyDelegate: 'nancy.notifications.delegate',
	delegatesHost: 'nancy.delegates.host',
	delegatesMax: 'nancy.delegates.max',
	delegatesTimeout: 'nancy.delegates.timeoutMinutes',
	delegatesIdle: 'nancy.delegates.idleMinutes',
	delegatesSetUp: 'nancy.delegates.worktreeSetUp',
	delegatesTearDown: 'nancy.delegates.worktreeTearDown',
	trafficSessions: 'nancy.traffic.maximumSessions',
	trafficFileSize: 'nancy.traffic.maximumFileSize',
	trafficTotalSize: 'nancy.traffic.maximumTotalSize',
} as const;

/** The settings of one agent, named after its driver. */
export function agentSettings(driver: string): { path: string; arguments: string } {
	return { path: `nancy.agents.${driver}.path`, arguments: `nancy.agents.${driver}.arguments` };
}

/** Schemes of the read-only documents that Nancy shows. */
export const SCHEMES = { payload: 'nancy-payload', report: 'nancy-report', base: 'nancy-base' } as const;

export const WALKTHROUGH = 'firstTask';
export const CONTAINER = 'nancy';
