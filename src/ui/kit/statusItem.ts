import * as vscode from 'vscode';
import type { Event } from '../../base/event.ts';
import { plain, plainLine } from './plain.ts';

interface StatusLook {
	icon: string;
	text: string;
	/** What a screen reader says in place of the text. */
	spoken: string;
	hover: readonly string[];
	isUrgent?: boolean;
}

/**
 * Shows an entry of the status bar, and updates it after each change.
 * @param rank entries with a higher one are further to the left
 * @param look hides the entry with `undefined`
 */
export function statusItem(
	{ id, rank, name, command }: { id: string; rank: number; name: string; command: string },
	changes: readonly Event<unknown>[],
	look: () => StatusLook | undefined,
): vscode.Disposable {
	const item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, rank);
	Object.assign(item, { name, command });
	const show = () => {
		const now = look();
		if (now) showAs(item, now);
		else item.hide();
	};
	const following = changes.map(change => change(show));
	show();
	return vscode.Disposable.from(...following, item);
}

function showAs(item: vscode.StatusBarItem, { icon, text, spoken, hover, isUrgent = false }: StatusLook): void {
	item.text = `$(${icon}) ${plainLine(text)}`;
	item.tooltip = plain(hover.join('\n'));
	item.backgroundColor = isUrgent ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
	item.accessibilityInformation = { label: plainLine(spoken), role: 'button' };
	item.show();
}
