import { setTimeout as sleep } from 'node:timers/promises';
import { l10n } from 'vscode';
import { BETWEEN_KEYS_MS, type Interrupt } from '../../core/driver/driver.ts';
import { isSameAddress } from '../../core/workspace/workspace.ts';
import type { Folders } from '../folders.ts';
import type { ComposeView } from '../inbox/composeView.ts';
import { inform, warn } from '../kit/messages.ts';
import { workerItems } from '../pickers.ts';
import { whoIs } from '../who.ts';
import type { WorkerItem } from './tasksView.ts';
import type { Terminals } from './terminals.ts';

interface Interrupting {
	readonly folders: Folders;
	readonly terminals: Terminals;
	readonly compose: Pick<ComposeView, 'open'>;
	interruptOf(agent: string): Interrupt | 'none';
}

export function isInTurn({ worker }: WorkerItem): boolean {
	return worker.state.phase === 'working';
}

/**
 * Breaks off an agent's turn now, by the keys that its user would press, and offers to say what it is to do instead. While it asks, the same
 * keys would answer No, so nothing is typed.
 */
export async function interrupt(own: Interrupting, item: WorkerItem): Promise<void> {
	const name = whoIs(item.folder, item.address);
	const interruption = own.interruptOf(item.worker.record.agent);
	const terminal = await own.terminals.find(item);
	if (!terminal || interruption === 'none') {
		void warn(l10n.t('{0} does not run in a terminal of this window.', name));
		return;
	}
	await item.folder.refresh();
	const first = present(own.folders, item);
	if (first?.worker.state.phase === 'waiting') {
		terminal.show(true);
		void inform(l10n.t('{0} asks. In its terminal, Esc means No.', name));
		return;
	}
	if (!first || !isInTurn(first)) {
		void inform(l10n.t('{0} is not in the middle of a turn.', name));
		return;
	}
	for (const key of interruption.keys) {
		// The last key may have ended the turn, or a question has come. A look at the disk would take too long between two keys.
		const now = present(own.folders, item);
		if (!now || !isInTurn(now)) break;
		terminal.sendText(key, false);
		await sleep(BETWEEN_KEYS_MS);
	}
	await own.compose.open([present(own.folders, item) ?? first]);
}

/** As the window knows it now. */
function present(folders: Folders, { folder, address }: WorkerItem): WorkerItem | undefined {
	return workerItems(folders).find(each => each.folder === folder && isSameAddress(each.address, address));
}
