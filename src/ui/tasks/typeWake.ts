import { setTimeout as sleep } from 'node:timers/promises';
import { l10n } from 'vscode';
import { WAKE_PROMPT } from '../../core/driver/hooks.ts';
import { isSameAddress } from '../../core/workspace/workspace.ts';
import { workerItems } from '../pickers.ts';
import type { Folders } from '../folders.ts';
import { ask, inform, warn } from '../kit/messages.ts';
import type { WorkerItem } from './tasksView.ts';
import type { Terminals } from './terminals.ts';
import { whoIs } from '../who.ts';

/** Between the text and Enter, in milliseconds. Agents take input that comes at once for a paste, and an Enter in it for a new line. */
const BEFORE_ENTER_MS = 250;

export function isIdleWithMessages({ worker }: WorkerItem): boolean {
	// Without hooks nothing would hand them over.
	return worker.state.phase === 'idle' && worker.queued > 0 && worker.record.hooks !== 'off';
}

/**
 * The last way to wake an idle agent: types a prompt into its terminal, and the agent's hook hands the messages over. Nancy cannot see
 * whether the input line is empty, so a person looks at it and agrees.
 */
export async function typeWake(folders: Folders, terminals: Terminals, item: WorkerItem): Promise<void> {
	const name = whoIs(item.folder, item.address);
	if (!isIdleWithMessages(item)) {
		void inform(l10n.t('{0} is not idle: it reads its messages when it goes on.', name));
		return;
	}
	const terminal = await terminals.find(item);
	if (!terminal) {
		void warn(l10n.t('{0} does not run in a terminal of this window.', name));
		return;
	}
	terminal.show(true);
	const type = l10n.t('Type It');
	const answer = await ask(
		l10n.t('Type “{0}” and Enter into the terminal of {1}?', WAKE_PROMPT, name),
		l10n.t('Its input line must be empty: a draft in it would be sent along.'),
		type,
	);
	if (answer !== type) return;
	await item.folder.refresh();
	const now = workerItems(folders).find(
		each => each.folder === item.folder && isSameAddress(each.address, item.address),
	);
	if (!now || !isIdleWithMessages(now)) {
		void inform(l10n.t('{0} needs no waking any more.', name));
		return;
	}
	terminal.sendText(WAKE_PROMPT, false);
	await sleep(BEFORE_ENTER_MS);
	terminal.sendText('\r', false);
}
