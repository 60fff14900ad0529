import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { DisposableStore } from '../../base/lifetime.ts';
import type { Folders } from '../folders.ts';
import { notice } from '../settings.ts';
import { needsOf, type Need } from './needs.ts';
import { agentCounts } from './needWords.ts';
import type { SeenStops } from './seenStops.ts';

const SETTING = {
	question: 'permission',
	waiting: 'permission',
	stopped: 'stopped',
	alert: 'message',
	message: 'message',
	delegate: 'delegate',
} as const;

type Badged = Readonly<Record<'questions' | 'tasks' | 'inbox', Pick<vscode.TreeView<unknown>, 'badge'>>>;

/** Counts on the Nancy icon what needs an act of the user, as the settings say. VS Code adds up the views. */
export function showBadges(
	folders: Pick<Folders, 'list' | 'onDidChange' | 'onDidNeedAttention'>,
	views: Badged,
	seen: SeenStops,
): vscode.Disposable {
	const own = new DisposableStore();
	const show = () => {
		const counted = needsOf(folders, seen).filter(
			({ kind, folder }) => notice(SETTING[kind], folder.path) !== 'off',
		);
		const isMail = ({ kind }: Need) => kind === 'message' || kind === 'delegate';
		const questions = counted.filter(({ kind }) => kind === 'question');
		const agents = counted.filter(need => !isMail(need) && need.kind !== 'question');
		const unread = counted.length - agents.length - questions.length;
		views.questions.badge = badge(questions.length, agentCounts(questions).join(', '));
		views.tasks.badge = badge(agents.length, agentCounts(agents).join(', '));
		views.inbox.badge = badge(unread, l10n.t('{0} unread', unread));
	};
	own.add(folders.onDidChange(show));
	// A stop counts once it has settled, and nothing changes on the disk then.
	own.add(folders.onDidNeedAttention(show));
	own.add(seen.onDidChange(show));
	show();
	return own;
}

function badge(value: number, tooltip: string): vscode.ViewBadge | undefined {
	return value === 0 ? undefined : { value, tooltip };
}
