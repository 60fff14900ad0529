import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { DisposableStore } from '../../base/lifetime.ts';
import type { Failures } from '../kit/failures.ts';
import { inform } from '../kit/messages.ts';
import { notice } from '../settings.ts';
import { proposalItems, type ProposalItem } from './memoryItems.ts';
import type { Remembered } from './remembered.ts';

/** The ids that a notification has told of, over reloads. */
const TOLD = 'memory.told';

interface Collaborators {
	remembered: Remembered;
	view: Pick<vscode.TreeView<unknown>, 'badge'>;
	told: vscode.Memento;
	failures: Pick<Failures, 'background'>;
	/** Shows the first that waits. */
	review: () => Promise<void>;
}

/** Counts the notes that wait on the icon, and tells of new ones in one notification, as the setting for messages says. */
export function noteNotices({ remembered, view, told, failures, review }: Collaborators): vscode.Disposable {
	const own = new DisposableStore();
	const look = () => {
		const waiting = proposalItems(remembered.list()).filter(
			({ of }) => notice('message', of.folder.path) !== 'off',
		);
		const text = waitingWords(waiting.length);
		view.badge = waiting.length === 0 ? undefined : { value: waiting.length, tooltip: text };
		const known = new Set(told.get<readonly string[]>(TOLD, []));
		const fresh = waiting.filter(
			({ of, waiting: { id } }) => notice('message', of.folder.path) === 'notification' && !known.has(id),
		);
		if (fresh.length > 0) failures.background(tell(waiting));
	};
	const tell = async (waiting: readonly ProposalItem[]) => {
		await told.update(
			TOLD,
			waiting.map(({ waiting: { id } }) => id),
		);
		const button = l10n.t('Review');
		if ((await inform(waitingWords(waiting.length), button)) === button) await review();
	};
	own.add(remembered.onDidChange(look));
	return own;
}

function waitingWords(count: number): string {
	return count === 1 ? l10n.t('A note waits for your review.') : l10n.t('{0} notes wait for your review.', count);
}
