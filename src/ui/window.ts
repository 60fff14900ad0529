import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { DisposableStore } from '../base/lifetime.ts';
import { searchAgents } from './agentSearch.ts';
import { budgetNotices } from './budgetNotices.ts';
import { commandHandlers, type Handlers } from './commands.ts';
import { ComposeDrafts } from './inbox/composeDrafts.ts';
import { ComposeLooks } from './inbox/composeLooks.ts';
import { ComposeView } from './inbox/composeView.ts';
import { ContextKeys } from './contextKeys.ts';
import { ACTING_COMMANDS, ROW_COMMANDS, SCHEMES, type CommandId } from './contributions.ts';
import { BrowserDesk } from './desk/browserDesk.ts';
import type { DelegateOrder } from './delegates/askDelegate.ts';
import { DelegateCleanup } from './delegates/delegateCleanup.ts';
import { DelegateOutputs } from './delegates/delegateOutput.ts';
import { delegateStatus } from './delegates/delegateStatus.ts';
import { followFacts } from './facts.ts';
import { Documents } from './documents.ts';
import type { Failures } from './kit/failures.ts';
import { inform } from './kit/messages.ts';
import { sayTitles } from './kit/translated.ts';
import { Folders } from './folders.ts';
import { MessagePanel } from './inbox/messagePanel.ts';
import { pickProject } from './memory/askProject.ts';
import { memoryPart } from './memory/memoryPart.ts';
import type { Nancy } from './nancy.ts';
import { elementsOf } from './kit/liveTree.ts';
import { showBadges } from './needs/badges.ts';
import { SeenStops } from './needs/seenStops.ts';
import { seeTerminals } from './needs/seeTerminals.ts';
import { needsStatus } from './needs/statusBar.ts';
import { Notifications } from './notifications.ts';
import { Orchestrator } from './tasks/orchestrate.ts';
import { reactions } from './reactions.ts';
import { QuestionNotices } from './questions/questionNotices.ts';
import { QuestionPanel } from './questions/questionPanel.ts';
import { OpenReviews } from './delegates/openReviews.ts';
import { ReviewComments } from './delegates/reviewComments.ts';
import { Reviews } from './delegates/reviews.ts';
import { titleOf } from './titles.ts';
import { Presets } from './start/presets.ts';
import { PromptEditors } from './start/promptEditors.ts';
import { StartMemory } from './start/startMemory.ts';
import type { TaskOrder } from './tasks/orchestrateHub.ts';
import { Terminals } from './tasks/terminals.ts';
import { useStatus } from './tasks/useStatus.ts';
import { requireTrust } from './trust.ts';
import type { Frame, WindowParts } from './windowFrame.ts';
import { actedOn, listParts, treesOf } from './windowLists.ts';

/** Builds the views and commands of one window. */
export function openWindow(parts: WindowParts): Omit<Nancy, 'chat'> {
	const { context, failures, operations, agentName } = parts;
	const own = new DisposableStore();
	const folders = own.add(new Folders(parts.openFolder));
	sayTitles(named => titleOf(named, folders.list(), agentName));
	const terminals = own.add(new Terminals(failures, () => refreshAll(folders, failures)));
	const keys = new ContextKeys();
	const run: Frame['run'] = (command, rows) => runCommand(handlers, command, rows);
	const frame: Frame = { parts, own, folders, terminals, keys, run };
	const lists = listParts(frame);
	const panels = panelParts(frame);
	const seen = statusParts(frame);
	const starts = startParts(context, own);
	const forDelegates = delegateCollaborators(frame);
	const memory = memoryPart(
		{
			...parts,
			folders,
			keys,
			workspaceState: context.workspaceState,
			review: () => failures.guard(() => run('nancy.reviewNotes', [])),
		},
		own,
	);
	const documents = new Documents(context.extensionUri);
	const handlers = commandHandlers({
		...parts,
		...lists,
		...panels,
		...forDelegates,
		...starts,
		folders,
		orchestrator: new Orchestrator({ folders, operations, terminals, failures, ...starts }),
		terminals,
		documents,
		remembered: memory.remembered,
		noteReviews: memory.noteReviews,
		projectTerminals: memory.projectTerminals,
		seen,
		keys,
	});
	noticeParts(frame, panels, handlers);
	const { choices, traffic, changes } = lists;
	own.add(followFacts({ folders, choices, traffic, views: parts.views, keys }));
	own.add(vscode.workspace.onDidGrantWorkspaceTrust(() => folders.reopen()));
	own.add(vscode.workspace.onDidGrantWorkspaceTrust(() => changes.lookAgain()));
	own.add(searchAgents(operations, failures, keys));
	return {
		...treesOf(lists, memory, failures),
		compose: panels.compose,
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
		run: actedOn(frame, lists, memory),
		stop: async () => own.dispose(),
	};
}

/** What is drawn as a page: the box for words, a conversation, a question, the desk. */
function panelParts({ parts, own, folders, terminals, run }: Frame) {
	const { context, views, failures } = parts;
	const common = { ...parts, extensionUri: context.extensionUri, folders };
	const drafts = own.add(new ComposeDrafts(context.workspaceState));
	const looks = own.add(new ComposeLooks(views.tasks, failures));
	return {
		compose: own.add(new ComposeView({ ...common, drafts, looks })),
		messages: own.add(
			new MessagePanel({ ...common, run: (command, item) => failures.guard(() => run(command, [item])) }),
		),
		questions: own.add(new QuestionPanel({ ...common, terminals, deskView: parts.desk.view })),
		browserDesk: own.add(new BrowserDesk({ ...parts, folders })),
	};
}

/** Badges and the status bar. */
function statusParts({ parts, own, folders }: Frame): SeenStops {
	const seen = new SeenStops(parts.context.workspaceState);
	own.add(showBadges(folders, parts.views, seen));
	own.add(seeTerminals(folders, seen));
	own.add(needsStatus(folders, seen));
	own.add(delegateStatus(folders));
	own.add(useStatus(folders, parts.agentName));
	return seen;
}

/** What is told to a person who looks elsewhere. */
function noticeParts(
	{ parts, own, folders, terminals, run }: Frame,
	{ compose, questions }: ReturnType<typeof panelParts>,
	handlers: Handlers,
): void {
	const { failures, agentName } = parts;
	const forToasts = reactions({ folders, failures, compose, handlers });
	own.add(new Notifications({ folders, terminals, failures, reactions: forToasts, agentName }));
	const review = () => failures.guard(() => questions.showNext());
	own.add(new QuestionNotices({ folders, terminals, failures, review }));
	own.add(budgetNotices(folders, failures, item => failures.guard(() => run('nancy.setBudget', [item]))));
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
function delegateCollaborators({ parts, own, folders, keys }: Frame) {
	const { context, operations, agentName } = parts;
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
	const isRowLost = ROW_COMMANDS.has(command) && args.length > 0 && args[0] === undefined;
	if (!isRowLost) return handlers[command](args.map(elementsOf));
	return void inform(l10n.t('The row was just drawn anew. Please choose again.'));
}

function refreshAll(folders: Folders, failures: Failures): void {
	for (const folder of folders.list()) failures.background(folder.refresh());
}
