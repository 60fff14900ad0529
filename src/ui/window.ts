import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { DisposableStore } from '../base/lifetime.ts';
import type { Interrupt } from '../core/driver/driver.ts';
import type { LimitOf } from '../core/mailbox/held.ts';
import type { Reader } from '../core/mailbox/whenRead.ts';
import { searchAgents } from './agentSearch.ts';
import { budgetNotices } from './budgetNotices.ts';
import { Choices } from './choices.ts';
import { commandHandlers, type Handlers } from './commands.ts';
import { ComposeDrafts } from './inbox/composeDrafts.ts';
import { ComposeLooks } from './inbox/composeLooks.ts';
import { ComposeView } from './inbox/composeView.ts';
import { ContextKeys } from './contextKeys.ts';
import { ACTING_COMMANDS, ITEM_COMMANDS, REMOVING_COMMANDS, SCHEMES, VIEWS, type CommandId } from './contributions.ts';
import { BrowserDesk } from './desk/browserDesk.ts';
import type { DeskOperations } from './desk/deskPorts.ts';
import type { DelegateOrder } from './delegates/askDelegate.ts';
import { DelegateCleanup } from './delegates/delegateCleanup.ts';
import { DelegateOutputs } from './delegates/delegateOutput.ts';
import { delegateStatus } from './delegates/delegateStatus.ts';
import { DelegatesView } from './delegates/delegatesView.ts';
import { decorateChanges } from './delegates/changedFiles.ts';
import { KnownChanges } from './delegates/knownChanges.ts';
import { followFacts } from './facts.ts';
import { Documents } from './documents.ts';
import type { ExecutorOperations } from './executors/executorPorts.ts';
import type { Failures } from './kit/failures.ts';
import { inform } from './kit/messages.ts';
import { sayTitles } from './kit/translated.ts';
import { Folders } from './folders.ts';
import { InboxView } from './inbox/inboxView.ts';
import { MessagePanel } from './inbox/messagePanel.ts';
import { pickProject } from './memory/askProject.ts';
import type { MemoryOperations } from './memory/memoryPorts.ts';
import { memoryPart } from './memory/memoryPart.ts';
import type { Nancy, TreePart, Views } from './nancy.ts';
import { KeyRows } from './kit/keyRows.ts';
import { keepingFocus, type ShownTree } from './kit/keepingFocus.ts';
import { elementsOf } from './kit/liveTree.ts';
import { showBadges } from './needs/badges.ts';
import { SeenStops } from './needs/seenStops.ts';
import { seeTerminals } from './needs/seeTerminals.ts';
import { needsStatus } from './needs/statusBar.ts';
import { Notifications } from './notifications.ts';
import { Orchestrator } from './tasks/orchestrate.ts';
import { reactions } from './reactions.ts';
import type { Folder, Operations } from './ports.ts';
import { QuestionNotices } from './questions/questionNotices.ts';
import { QuestionPanel } from './questions/questionPanel.ts';
import { QuestionsView } from './questions/questionsView.ts';
import { OpenReviews } from './delegates/openReviews.ts';
import { ReviewComments } from './delegates/reviewComments.ts';
import { Reviews } from './delegates/reviews.ts';
import { maximumSessions } from './settings.ts';
import { titleOf } from './titles.ts';
import { Presets } from './start/presets.ts';
import { PromptEditors } from './start/promptEditors.ts';
import { StartMemory } from './start/startMemory.ts';
import type { TaskOrder } from './tasks/orchestrateHub.ts';
import { TasksView } from './tasks/tasksView.ts';
import { Terminals } from './tasks/terminals.ts';
import { useStatus } from './tasks/useStatus.ts';
import { TrafficView } from './traffic/trafficView.ts';
import { requireTrust } from './trust.ts';

export interface WindowParts {
	context: vscode.ExtensionContext;
	views: Views;
	failures: Failures;
	operations: Operations;
	desk: DeskOperations;
	projects: MemoryOperations;
	executors: ExecutorOperations;
	openFolder: (path: string, name: string) => Folder;
	agentName: (driver: string) => string;
	agentShortName: (driver: string) => string;
	/** How a permission mode of a delegate is called. */
	modeName: (driver: string, mode: string) => string;
	limitOf: LimitOf;
	readerOf: (agent: string) => Reader | undefined;
	interruptOf: (agent: string) => Interrupt | 'none';
	/** Whether an agent's CLI can begin a conversation as a copy of another. */
	canFork: (agent: string) => boolean;
}

/** Builds the views and commands of one window. */
export function openWindow(parts: WindowParts): Omit<Nancy, 'chat'> {
	const { context, views, failures, operations, openFolder, agentName, agentShortName, limitOf } = parts;
	const own = new DisposableStore();
	const keys = new ContextKeys();
	const choices = new Choices(context.workspaceState);
	const documents = new Documents(context.extensionUri);
	const folders = own.add(new Folders(openFolder));
	sayTitles(named => titleOf(named, folders.list(), agentName));
	const terminals = own.add(new Terminals(failures, () => refreshAll(folders, failures)));
	const changes = own.add(new KnownChanges((folder, of) => operations.worktrees.changes(folder, of)));
	own.add(decorateChanges());
	const forHover = { agent: agentName, mode: parts.modeName };
	const delegates = own.add(new DelegatesView(folders, views.delegates, forHover, changes));
	const names = { full: agentName, short: agentShortName };
	const tasks = own.add(new TasksView(folders, views.tasks, choices, names, delegates, changes, parts.canFork));
	const inbox = own.add(new InboxView(folders, operations, views.inbox, limitOf, choices));
	const traffic = own.add(new TrafficView(folders, views.traffic, maximumSessions, context.globalState));
	const compose = composeBox(parts, own, folders);
	const messages = own.add(
		new MessagePanel({
			...parts,
			extensionUri: context.extensionUri,
			folders,
			run: (command, item) => failures.guard(() => runCommand(handlers, command, [item])),
		}),
	);
	const asked = own.add(new QuestionsView(folders, views.questions, agentName));
	const questions = own.add(
		new QuestionPanel({
			...parts,
			extensionUri: context.extensionUri,
			folders,
			terminals,
			deskView: parts.desk.view,
		}),
	);
	const browserDesk = own.add(new BrowserDesk({ ...parts, folders }));
	const seen = new SeenStops(context.workspaceState);
	own.add(showBadges(folders, views, seen));
	own.add(seeTerminals(folders, seen));
	const starts = startParts(context, own);
	const orchestrator = new Orchestrator({ folders, operations, terminals, failures, ...starts });
	own.add(needsStatus(folders, seen));
	own.add(delegateStatus(folders));
	own.add(useStatus(folders, agentName));
	const forDelegates = delegateCollaborators(parts, own, folders, keys);
	const reviewNotes = () => failures.guard(() => handlers['nancy.reviewNotes']([]));
	const forMemory = { ...parts, folders, keys, workspaceState: context.workspaceState, review: reviewNotes };
	const memory = memoryPart(forMemory, own);

	const handlers = commandHandlers({
		...forDelegates,
		folders,
		operations,
		...starts,
		orchestrator,
		terminals,
		compose,
		inbox,
		messages,
		questions,
		browserDesk,
		documents,
		projects: parts.projects,
		executors: parts.executors,
		remembered: memory.remembered,
		noteReviews: memory.noteReviews,
		projectTerminals: memory.projectTerminals,
		traffic,
		agentName,
		choices,
		seen,
		keys,
		failures,
		interruptOf: parts.interruptOf,
		canFork: parts.canFork,
	});
	const keyRows = new Map<unknown, KeyRows>([
		[VIEWS.tasks, own.add(new KeyRows(views.tasks))],
		[VIEWS.delegates, own.add(new KeyRows(views.delegates))],
		[VIEWS.inbox, own.add(new KeyRows(views.inbox))],
		[VIEWS.memory, own.add(new KeyRows(views.memory))],
	]);
	const trees: readonly ShownTree[] = [
		[views.questions, asked],
		[views.tasks, tasks],
		[views.delegates, delegates],
		[views.inbox, inbox],
		[views.memory, memory.view],
	];
	const forToasts = reactions({ folders, failures, compose, handlers });
	own.add(new Notifications({ folders, terminals, failures, reactions: forToasts, agentName }));
	const review = () => failures.guard(() => questions.showNext());
	own.add(new QuestionNotices({ folders, terminals, failures, review }));
	const setBudget = (item: unknown) => failures.guard(() => handlers['nancy.setBudget']([item]));
	own.add(budgetNotices(folders, failures, setBudget));
	own.add(followFacts({ folders, choices, traffic, views, keys }));
	own.add(vscode.workspace.onDidGrantWorkspaceTrust(() => folders.reopen()));
	own.add(vscode.workspace.onDidGrantWorkspaceTrust(() => changes.lookAgain()));
	own.add(searchAgents(operations, failures, keys));

	return {
		questions: treePart(asked),
		tasks: treePart(tasks),
		delegates: treePart(delegates),
		inbox: {
			provider: inbox,
			drag: (source, data) => inbox.drag(source, data),
			drop: (target, data) => failures.guard(() => inbox.drop(target, data)),
		},
		memory: treePart(memory.view),
		traffic: treePart(traffic),
		compose,
		document: async uri => {
			if (uri.scheme === SCHEMES.note) return memory.noteReviews.text(uri);
			return uri.scheme === SCHEMES.base ? forDelegates.reviews.base(uri) : documents.provide(uri);
		},
		terminal: async () => {
			let made: vscode.TerminalProfile | undefined;
			await failures.guard(async () => {
				made = await memory.projectTerminals.profile(await pickProject(memory.remembered, undefined));
			});
			return made;
		},
		run: (command, args) => {
			for (const each of args.length > 0 ? [tasks, delegates] : []) each.touch();
			// A key in package.json names its view.
			const rows = keyRows.get(args[0])?.take() ?? args;
			const run = () => runCommand(handlers, command, rows);
			return failures.guard(() => (REMOVING_COMMANDS.has(command) ? keepingFocus(trees, rows[0], run) : run()));
		},
		stop: async () => own.dispose(),
	};
}

function composeBox(parts: WindowParts, own: DisposableStore, folders: Folders): ComposeView {
	const { context, views, failures } = parts;
	const drafts = own.add(new ComposeDrafts(context.workspaceState));
	const looks = own.add(new ComposeLooks(views.tasks, failures));
	return own.add(new ComposeView({ ...parts, extensionUri: context.extensionUri, folders, drafts, looks }));
}

/** What the starts of tasks and of delegates share. */
function startParts({ globalState, workspaceState }: vscode.ExtensionContext, own: DisposableStore) {
	const startThis = { title: l10n.t('Start Task with This'), id: 'nancy.startThis' } as const;
	return {
		memory: new StartMemory(globalState, workspaceState),
		presets: new Presets(globalState),
		editors: own.add(new PromptEditors<TaskOrder>(startThis)),
	};
}

/** What the commands for delegates need beside the rest. */
function delegateCollaborators(
	{ context, operations, agentName }: WindowParts,
	own: DisposableStore,
	folders: Folders,
	keys: ContextKeys,
) {
	const opened = own.add(new OpenReviews(keys, vscode.window.tabGroups, watchFiles));
	return {
		reviews: new Reviews(folders, operations.worktrees, opened, agentName),
		opened,
		agentName,
		comments: own.add(new ReviewComments(folders, operations, opened, context.workspaceState, keys)),
		outputs: own.add(new DelegateOutputs()),
		cleanup: new DelegateCleanup(folders, operations.worktrees, operations.delegates),
		drafts: own.add(new PromptEditors<DelegateOrder>({ title: l10n.t('Delegate This'), id: 'nancy.delegateThis' })),
	};
}

/** VS Code does not watch files outside the workspace by itself. */
function watchFiles(folder: string): vscode.Disposable {
	return vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), '*'));
}

function runCommand(handlers: Handlers, command: CommandId, args: readonly unknown[]): Promise<void> | void {
	if (ACTING_COMMANDS.has(command)) requireTrust();
	// While VS Code draws the rows above anew, it gives a command of a menu no row.
	const isRowLost = ITEM_COMMANDS.has(command) && args.length > 0 && args[0] === undefined;
	if (!isRowLost) return handlers[command](args.map(elementsOf));
	return void inform(l10n.t('The row was just drawn anew. Please choose again.'));
}

function treePart(provider: vscode.TreeDataProvider<unknown>): TreePart {
	return { provider, drag: () => undefined, drop: async () => undefined };
}

function refreshAll(folders: Folders, failures: Failures): void {
	for (const folder of folders.list()) failures.background(folder.refresh());
}
