import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { DisposableStore } from '../base/lifetime.ts';
import type { Choices } from './choices.ts';
import type { ContextKeys } from './contextKeys.ts';
import type { Folders } from './folders.ts';
import { recipients } from './inbox/recipients.ts';
import type { Views } from './nancy.ts';
import { openQuestions } from './questions/questionItem.ts';
import { isFiltering } from './traffic/trafficFilter.ts';
import type { TrafficView } from './traffic/trafficView.ts';

interface Sources {
	folders: Folders;
	choices: Choices;
	traffic: TrafficView;
	views: Views;
	keys: ContextKeys;
}

/** Keeps the context keys, and the message above the tasks in Restricted Mode, as the folders and the user's choices are. */
export function followFacts(sources: Sources): vscode.Disposable {
	const own = new DisposableStore();
	const tell = () => tellFacts(sources);
	own.add(sources.folders.onDidChange(tell));
	own.add(sources.choices.onDidChange(tell));
	own.add(sources.traffic.onDidChoose(tell));
	tell();
	return own;
}

function tellFacts({ folders, choices, traffic, views, keys }: Sources): void {
	const open = folders.list();
	const tasks = open.flatMap(folder => folder.overview().tasks);
	const hasOpenTask = tasks.some(task => task.record.archivedAt === undefined);
	keys.set('hasTasks', hasOpenTask);
	keys.set('hasQuestions', openQuestions(folders).length > 0);
	const hasWorker = tasks.some(task => task.workers.length > 0);
	keys.set('hasWorkers', hasWorker);
	const hasSession = open.some(folder => folder.sessions().length > 0);
	keys.set('hasTraffic', hasSession);
	const hasDelegate = open.some(folder => folder.delegates().length > 0);
	keys.set('hasDelegates', hasDelegate);
	keys.set('hasSent', hasSent(folders));
	const { showsArchived, hidesEnded, isGrouped, sort } = choices.tasks;
	keys.set('showsArchived', showsArchived);
	keys.set('showsActiveOnly', hidesEnded);
	keys.set('showsGroups', isGrouped);
	keys.set('showsByName', sort === 'name');
	keys.set('showsMessagesToYou', choices.inbox.shows === 'toYou');
	keys.set('showsAllMessages', choices.inbox.shows === 'all');
	keys.set('trafficFiltered', isFiltering(traffic.filter));
	keys.set('showsAllEvents', traffic.showsAll);
	// An empty tree says so itself. A tree with content says why nothing happens to it.
	const isRestricted = !vscode.workspace.isTrusted && tasks.length > 0;
	views.tasks.message = isRestricted
		? l10n.t('Restricted Mode: you can look; nothing is started, written or sent.')
		: '';
}

function hasSent(folders: Folders): boolean {
	return recipients(folders).some(({ folder, address }) =>
		folder.messages(address).messages.some(({ author }) => author.is === 'human'),
	);
}
