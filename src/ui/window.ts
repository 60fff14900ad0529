import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { DisposableStore } from '../base/lifetime.ts';
import type { LimitOf } from '../core/mailbox/held.ts';
import { standingWorktree } from '../core/delegates/inWorktree.ts';
import { Badges } from './badges.ts';
import { Choices } from './choices.ts';
import { commandHandlers } from './commands.ts';
import { ComposeView, recipients } from './inbox/composeView.ts';
import { ContextKeys } from './contextKeys.ts';
import { ACTING_COMMANDS, SCHEMES, VIEWS, type CommandId } from './contributions.ts';
import { DelegateCleanup } from './delegates/delegateCleanup.ts';
import { DelegateDrafts } from './delegates/delegateDrafts.ts';
import { DelegateOutputs } from './delegates/delegateOutput.ts';
import { DelegateStatusBar } from './delegates/delegateStatus.ts';
import { DelegateItem, DelegatesView } from './delegates/delegatesView.ts';
import { Documents } from './documents.ts';
import type { Failures } from './kit/failures.ts';
import { Folders } from './folders.ts';
import { InboxView } from './inbox/inboxView.ts';
import type { Nancy, TreePart, Views } from './nancy.ts';
import { elementOf, elementsOf } from './kit/liveTree.ts';
import { Notifications, type Call } from './notifications.ts';
import { Orchestrator } from './tasks/orchestrate.ts';
import { workerItems } from './pickers.ts';
import type { Folder, Operations } from './ports.ts';
import { ReviewComments } from './delegates/reviewComments.ts';
import { Reviews } from './delegates/reviews.ts';
import { maximumSessions } from './settings.ts';
import { StatusBar } from './statusBar.ts';
import { TasksView } from './tasks/tasksView.ts';
import { Terminals } from './tasks/terminals.ts';
import { isFiltering } from './traffic/trafficFilter.ts';
import { TrafficView } from './traffic/trafficView.ts';
import { requireTrust } from './trust.ts';

export interface WindowParts {
	context: vscode.ExtensionContext;
	views: Views;
	failures: Failures;
	operations: Operations;
	openFolder: (path: string, name: string) => Folder;
	agentName: (driver: string) => string;
	limitOf: LimitOf;
}

/** Builds everything that one window shows, over what the core provides. */
export function openWindow({
	context,
	views,
	failures,
	operations,
	openFolder,
	agentName,
	limitOf,
}: WindowParts): Nancy {
	const own = new DisposableStore();
	const keys = new ContextKeys();
	const choices = new Choices();
	const documents = new Documents(context.extensionUri);
	const folders = own.add(new Folders(openFolder));
	const terminals = own.add(new Terminals(failures, () => refreshAll(folders, failures)));
	const tasks = own.add(new TasksView(folders, views.tasks, choices, agentName));
	const delegates = own.add(new DelegatesView(folders, views.delegates, agentName));
	const inbox = own.add(new InboxView(folders, operations, views.inbox, limitOf));
	const traffic = own.add(new TrafficView(folders, views.traffic, maximumSessions));
	const compose = own.add(new ComposeView(context.extensionUri, folders, operations, failures, limitOf));
	const badges = own.add(new Badges(folders, views));
	const orchestrator = new Orchestrator(folders, operations, terminals, context.globalState);
	own.add(new StatusBar(folders));
	own.add(new DelegateStatusBar(folders));
	const reviews = new Reviews(folders, operations.worktrees);
	const comments = own.add(new ReviewComments(folders, operations, context.workspaceState, keys));
	const outputs = own.add(new DelegateOutputs());
	const cleanup = new DelegateCleanup(folders, operations.worktrees, operations.delegates);
	const drafts = own.add(new DelegateDrafts());

	const handlers = commandHandlers({
		folders,
		operations,
		outputs,
		reviews,
		comments,
		cleanup,
		drafts,
		selected: () => views.delegates.selection.map(elementOf),
		memory: context.globalState,
		orchestrator,
		terminals,
		compose,
		documents,
		traffic,
		choices,
		badges,
		keys,
		failures,
	});
	const itemOf = (folder: Folder, address: { task: string; worker: string }) =>
		workerItems(folders).find(
			item =>
				item.folder === folder && item.address.task === address.task && item.address.worker === address.worker,
		);
	own.add(
		new Notifications(folders, failures, {
			showTerminal: async (folder, address) => {
				const item = itemOf(folder, address);
				if (item) await failures.guard(() => handlers['nancy.focusTerminal']([item]));
			},
			reply: async ({ folder, attention }) => {
				const item = itemOf(folder, attention.address);
				await failures.guard(() => compose.open(item && [item]));
			},
			showAll: calls =>
				failures.guard(async () => {
					const areDelegates = calls.every(({ attention }) => attention.kind === 'delegate');
					if (areDelegates) await vscode.commands.executeCommand(`${VIEWS.delegates}.focus`);
					else await handlers['nancy.showAttention']([]);
				}),
			delegateChoices: ({ folder, attention }: Call) => {
				const delegate = folder.delegates().find(({ record }) => record.id === attention.delegate?.id);
				if (!delegate) return [];
				const item = new DelegateItem(folder, delegate);
				const choice = (label: string, command: CommandId) => ({
					label,
					run: () => failures.guard(() => handlers[command]([item])),
				});
				if (delegate.state === 'failed') return [choice(l10n.t('Show Log'), 'nancy.openDelegateLog')];
				const hasWorktree = standingWorktree(delegate, folder.delegates()) !== undefined;
				return [
					choice(l10n.t('Show Output'), 'nancy.showDelegateOutput'),
					...(hasWorktree ? [choice(l10n.t('Review Changes'), 'nancy.reviewDelegate')] : []),
				];
			},
		}),
	);

	const tell = () => {
		const all = folders.list().flatMap(folder => folder.overview().tasks);
		keys.set(
			'hasTasks',
			all.some(task => task.record.archivedAt === undefined),
		);
		keys.set(
			'hasWorkers',
			all.some(task => task.workers.length > 0),
		);
		keys.set(
			'hasTraffic',
			folders.list().some(folder => folder.sessions().length > 0),
		);
		keys.set(
			'hasDelegates',
			folders.list().some(folder => folder.delegates().length > 0),
		);
		keys.set('hasSent', hasSent(folders));
		keys.set('showsArchived', choices.showsArchived);
		keys.set('trafficFiltered', isFiltering(traffic.filter));
		// A tree that is empty says so itself; one with content says why nothing happens to it.
		const isRestricted = !vscode.workspace.isTrusted && all.length > 0;
		views.tasks.message = isRestricted
			? l10n.t('Restricted Mode: Nancy shows what is here, and starts, deploys and delivers nothing.')
			: '';
	};
	own.add(folders.onDidChange(tell));
	own.add(choices.onDidChange(tell));
	own.add(traffic.onDidFilter(tell));
	own.add(vscode.workspace.onDidGrantWorkspaceTrust(() => folders.reopen()));
	tell();
	let isMissing = true;
	const lookForAgents = () =>
		failures.background(
			operations.agents().then(agents => {
				isMissing = agents.every(({ found }) => found === undefined);
				keys.set('agentFound', !isMissing);
				keys.set('agentMissing', isMissing);
			}),
		);
	own.add(
		vscode.workspace.onDidChangeConfiguration(change => {
			if (change.affectsConfiguration('nancy.agents')) lookForAgents();
		}),
	);
	// Whoever was told that there is no agent goes and installs one.
	own.add(
		vscode.window.onDidChangeWindowState(({ focused }) => {
			if (focused && isMissing) lookForAgents();
		}),
	);
	own.add(vscode.workspace.onDidGrantWorkspaceTrust(lookForAgents));
	lookForAgents();

	return {
		tasks: treePart(tasks),
		delegates: treePart(delegates),
		inbox: {
			provider: inbox,
			drag: (source, data) => inbox.drag(source, data),
			drop: (target, data) => failures.guard(() => inbox.drop(target, data)),
		},
		traffic: treePart(traffic),
		compose,
		document: async uri => (uri.scheme === SCHEMES.base ? reviews.base(uri) : documents.provide(uri)),
		run: (command, args) =>
			failures.guard(() => {
				if (ACTING_COMMANDS.has(command)) requireTrust();
				return handlers[command](args.map(elementsOf));
			}),
		stop: async () => own.dispose(),
	};
}

function treePart(provider: vscode.TreeDataProvider<unknown>): TreePart {
	return { provider, drag: () => undefined, drop: async () => undefined };
}

function refreshAll(folders: Folders, failures: Failures): void {
	for (const folder of folders.list()) failures.background(folder.refresh());
}

function hasSent(folders: Folders): boolean {
	return recipients(folders).some(({ folder, address }) =>
		folder.messages(address).messages.some(({ author }) => author.is === 'human'),
	);
}
