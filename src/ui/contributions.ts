/**
 * Every id that package.json and the code must agree on, in one place; test/unit/manifest.test.ts compares both ways. Free of
 * imports: it is part of what every window loads at start-up.
 */

export const VIEWS = {
	questions: 'nancy.questions',
	tasks: 'nancy.tasks',
	delegates: 'nancy.delegates',
	inbox: 'nancy.inbox',
	memory: 'nancy.memory',
	compose: 'nancy.compose',
	traffic: 'nancy.traffic',
} as const;

/**
 * Every command, by where it is offered and whether it only looks. Commands that start, deploy, deliver or change something are refused in
 * a workspace that is not trusted. Their `enablement` only hides them there, and a key or another extension still runs them.
 */
const BY_PLACE = {
	/** Make sense without a tree item: the palette shows them, and they ask for what they need. */
	palette: {
		acts: [
			'nancy.orchestrateTask',
			'nancy.startThis',
			'nancy.addWorker',
			'nancy.resumeWorker',
			'nancy.startAgain',
			'nancy.stopWorker',
			'nancy.interruptWorker',
			'nancy.forkWorker',
			'nancy.stopTask',
			'nancy.archiveTask',
			'nancy.restoreTask',
			'nancy.renameTask',
			'nancy.setBudget',
			'nancy.deleteTask',
			'nancy.sendMessage',
			'nancy.typeWake',
			'nancy.composeMessage',
			'nancy.delegate',
			'nancy.writePrompt',
			'nancy.delegateThis',
			'nancy.stopDelegate',
			'nancy.resumeDelegate',
			'nancy.reviewDelegate',
			'nancy.sendBack',
			'nancy.clearDelegates',
			'nancy.executors',
			'nancy.openDeskInBrowser',
			'nancy.openDeskOnPhone',
			'nancy.showDevices',
			'nancy.rememberProject',
			'nancy.nextTask',
			'nancy.openProjectTerminal',
			'nancy.addNote',
			'nancy.extractNotes',
			'nancy.pauseMemory',
			'nancy.resumeMemory',
			'nancy.setUp',
			'nancy.cleanUp',
		],
		looks: [
			'nancy.focusTerminal',
			'nancy.showDelegateOutput',
			'nancy.showAttention',
			'nancy.nextNeed',
			'nancy.nextQuestion',
			'nancy.showAllowed',
			'nancy.reviewNotes',
			'nancy.filterTraffic',
			'nancy.clearTrafficFilter',
			'nancy.showAllEvents',
			'nancy.showMainEvents',
			'nancy.showArchived',
			'nancy.hideArchived',
			'nancy.showEnded',
			'nancy.hideEnded',
			'nancy.groupTasks',
			'nancy.listTasks',
			'nancy.sortTasksByName',
			'nancy.sortTasksByAge',
			'nancy.showCurrentMessages',
			'nancy.showMessagesToYou',
			'nancy.showAllMessages',
			'nancy.doctor',
			'nancy.compareAgents',
			'nancy.showLog',
			'nancy.openWalkthrough',
		],
	},
	/** Act on the tree item they are called from: hidden from the palette. */
	item: {
		acts: [
			'nancy.composeTo',
			'nancy.editMessage',
			'nancy.moveMessageUp',
			'nancy.moveMessageDown',
			'nancy.withdrawMessage',
			'nancy.archiveMessage',
			'nancy.reply',
			'nancy.messageDelegate',
			'nancy.delegateAgain',
			'nancy.mergeDelegate',
			'nancy.undoMerge',
			'nancy.openDelegateWorktree',
			'nancy.discardDelegate',
			'nancy.deleteDelegate',
			'nancy.openChange',
			'nancy.denyQuestion',
			'nancy.acceptNote',
			'nancy.editNote',
			'nancy.rejectNote',
			'nancy.retireNote',
			'nancy.pinNote',
			'nancy.unpinNote',
			'nancy.shareNote',
		],
		looks: [
			'nancy.copySession',
			'nancy.openQuestion',
			'nancy.openMessage',
			'nancy.openMessageFile',
			'nancy.showConversation',
			'nancy.showMoreMessages',
			'nancy.openEvent',
			'nancy.openPayload',
			'nancy.openTranscript',
			'nancy.openChangedFile',
			'nancy.openDelegateLog',
			'nancy.openDelegatePrompt',
			'nancy.openDelegateAnswer',
			'nancy.copyDelegate',
			'nancy.reviewNote',
			'nancy.openNote',
		],
	},
	/** Act on a review comment: hidden from the palette, too. */
	comment: { acts: ['nancy.addComment'], looks: ['nancy.deleteComment'] },
} as const;

const { palette, item, comment } = BY_PLACE;
const ITEM = [...item.acts, ...item.looks] as const;

export type CommandId = (typeof BY_PLACE)[keyof typeof BY_PLACE]['acts' | 'looks'][number];

export const COMMANDS: readonly CommandId[] = [
	...palette.acts,
	...palette.looks,
	...ITEM,
	...comment.acts,
	...comment.looks,
];
export const ACTING_COMMANDS: ReadonlySet<CommandId> = new Set([...palette.acts, ...item.acts, ...comment.acts]);
export const ITEM_COMMANDS: ReadonlySet<CommandId> = new Set(ITEM);
/** Offered in the palette too. From a row, they act on that row or on nothing. */
export const ROW_COMMANDS: ReadonlySet<CommandId> = new Set<CommandId>([
	...ITEM,
	'nancy.addWorker',
	'nancy.archiveTask',
	'nancy.deleteTask',
	'nancy.focusTerminal',
	'nancy.forkWorker',
	'nancy.interruptWorker',
	'nancy.pauseMemory',
	'nancy.renameTask',
	'nancy.restoreTask',
	'nancy.resumeDelegate',
	'nancy.resumeMemory',
	'nancy.resumeWorker',
	'nancy.reviewDelegate',
	'nancy.setBudget',
	'nancy.showDelegateOutput',
	'nancy.startAgain',
	'nancy.stopDelegate',
	'nancy.stopTask',
	'nancy.stopWorker',
	'nancy.typeWake',
]);
/** Commands after which the row that they were called from is gone. */
export const REMOVING_COMMANDS: ReadonlySet<CommandId> = new Set<CommandId>([
	'nancy.archiveTask',
	'nancy.restoreTask',
	'nancy.deleteTask',
	'nancy.deleteDelegate',
	'nancy.archiveMessage',
	'nancy.withdrawMessage',
	'nancy.denyQuestion',
	'nancy.acceptNote',
	'nancy.editNote',
	'nancy.rejectNote',
	'nancy.retireNote',
]);

/** Facts that a user could name, for `when` clauses. */
export const CONTEXT_KEYS = {
	/** An agent asks something that can be answered in this window. */
	hasQuestions: 'nancy.hasQuestions',
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
	/** There are review comments that were not sent back yet. */
	hasComments: 'nancy.hasComments',
	/** Nancy remembers a project of this workspace. */
	hasProjects: 'nancy.hasProjects',
	/** The active tab shows a note that waits. */
	showsProposal: 'nancy.showsProposal',
	/** A message has been sent to a worker. */
	hasSent: 'nancy.hasSent',
	/** A hook has reported something. */
	hasTraffic: 'nancy.hasTraffic',
	trafficFiltered: 'nancy.trafficFiltered',
	/** The Traffic view shows also what tells a person nothing. */
	showsAllEvents: 'nancy.showsAllEvents',
	/** The walkthrough has been opened from Nancy in this window. */
	showsWalkthrough: 'nancy.showsWalkthrough',
	showsArchived: 'nancy.showsArchived',
	/** The active tab shows the changes of a delegate that is done. */
	showsReview: 'nancy.showsReview',
	showsActiveOnly: 'nancy.showsActiveOnly',
	showsGroups: 'nancy.showsGroups',
	showsByName: 'nancy.showsByName',
	showsMessagesToYou: 'nancy.showsMessagesToYou',
	showsAllMessages: 'nancy.showsAllMessages',
} as const;

/** The tools of VS Code's own chat. */
export const CHAT_TOOLS = ['nancy_status', 'nancy_send', 'nancy_delegate'] as const;
export type ChatTool = (typeof CHAT_TOOLS)[number];

/** Offers the MCP server to VS Code's own chat. */
export const MCP_PROVIDER = 'nancy.mcp';
/** Apart from the others: late.ts stays small. */
export const MCP_SETTING = 'nancy.mcpServer';

/** Settings that are not named after an agent. Defaults live in package.json alone. */
export const SETTINGS = {
	defaultAgent: 'nancy.defaultAgent',
	tokenThreshold: 'nancy.tokenThreshold',
	mcpServer: MCP_SETTING,
	agentServers: 'nancy.agentServers',
	hooks: 'nancy.hooks',
	terminalHost: 'nancy.terminal.host',
	notifyPermission: 'nancy.notifications.permission',
	notifyStopped: 'nancy.notifications.stopped',
	notifyMessage: 'nancy.notifications.message',
	notifyDelegate: 'nancy.notifications.delegate',
	deskNotify: 'nancy.desk.notify',
	delegatesHost: 'nancy.delegates.host',
	delegatesMax: 'nancy.delegates.max',
	delegatesTimeout: 'nancy.delegates.timeoutMinutes',
	delegatesIdle: 'nancy.delegates.idleMinutes',
	delegatesSetUp: 'nancy.delegates.worktreeSetUp',
	delegatesTearDown: 'nancy.delegates.worktreeTearDown',
	delegatesSwarm: 'nancy.delegates.swarmWorker',
	delegatesIsolate: 'nancy.delegates.isolate',
	serverEnabled: 'nancy.server.enabled',
	serverAddress: 'nancy.server.address',
	trafficSessions: 'nancy.traffic.maximumSessions',
	trafficFileSize: 'nancy.traffic.maximumFileSize',
	trafficTotalSize: 'nancy.traffic.maximumTotalSize',
} as const;

/** The settings of one agent, named after its driver. */
export function agentSettings(
	driver: string,
): Record<'path' | 'arguments' | 'model' | 'permissionsFromAgents', string> {
	return {
		path: `nancy.agents.${driver}.path`,
		arguments: `nancy.agents.${driver}.arguments`,
		model: `nancy.agents.${driver}.model`,
		permissionsFromAgents: `nancy.agents.${driver}.permissionsFromAgents`,
	};
}

/** The name of a driver's setting for answers, where answers are the user's choice. */
export function answersSetting(driver: string): string {
	return `nancy.agents.${driver}.answers`;
}

/** Schemes of the read-only documents that Nancy shows. */
export const SCHEMES = {
	payload: 'nancy-payload',
	report: 'nancy-report',
	base: 'nancy-base',
	note: 'nancy-note',
} as const;

/** The terminal of a project. */
export const PROFILE = 'nancy.project';

export const WALKTHROUGH = 'firstTask';
export const CONTAINER = 'nancy';
