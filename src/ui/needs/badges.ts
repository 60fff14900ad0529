import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { DisposableStore } from '../../base/lifetime.ts';
import type { Folders } from '../folders.ts';
import type { Views } from '../nancy.ts';
import { notice } from '../settings.ts';
import { needsOf, type Need } from './needs.ts';
import type { SeenStops } from './seenStops.ts';

const SETTING = { waiting: 'permission', stopped: 'stopped', message: 'message', delegate: 'delegate' } as const;

/** Counts on the Nancy icon what needs an act of the user, as the settings say. VS Code adds up the views. */
export function showBadges(folders: Folders, views: Views, seen: SeenStops): vscode.Disposable {
	const own = new DisposableStore();
	const show = () => {
		const counted = needsOf(folders, seen).filter(
			({ kind, folder }) => notice(SETTING[kind], folder.path) !== 'off',
		);
		const count = (...kinds: Need['kind'][]) => counted.filter(({ kind }) => kinds.includes(kind)).length;
		const [waiting, stopped] = [count('waiting'), count('stopped')];
		const unread = count('message', 'delegate');
		views.tasks.badge = badge(waiting + stopped, badgeWords(waiting, stopped));
		views.inbox.badge = badge(unread, l10n.t('{0} unread', unread));
	};
	own.add(folders.onDidChange(show));
	// A stop counts once it has settled, and nothing changes on the disk then.
	own.add(folders.onDidNeedAttention(show));
	own.add(seen.onDidChange(show));
	show();
	return own;
}

/** `1 waiting, 2 done`, without what there is none of. */
export function badgeWords(waiting: number, stopped: number): string {
	return [waiting > 0 ? l10n.t('{0} waiting', waiting) : '', stopped > 0 ? l10n.t('{0} done', stopped) : '']
		.filter(part => part !== '')
		.join(', ');
}

function badge(value: number, tooltip: string): vscode.ViewBadge | undefined {
	return value === 0 ? undefined : { value, tooltip };
}
