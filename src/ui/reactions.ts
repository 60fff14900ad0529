import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { standingWorktree } from '../core/delegates/inWorktree.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import type { Handlers } from './commands.ts';
import { VIEWS, type CommandId } from './contributions.ts';
import { DelegateItem } from './delegates/delegatesView.ts';
import type { Folders } from './folders.ts';
import type { ComposeView } from './inbox/composeView.ts';
import type { Failures } from './kit/failures.ts';
import type { Call, Reactions } from './notifications.ts';
import { reachable, workerItems } from './pickers.ts';
import type { Folder } from './ports.ts';

interface Collaborators {
	folders: Folders;
	failures: Failures;
	compose: ComposeView;
	handlers: Handlers;
}

/** What the buttons of notifications do: mostly what a command does. */
export function reactions({ folders, failures, compose, handlers }: Collaborators): Reactions {
	const itemOf = (folder: Folder, { task, worker }: WorkerAddress) =>
		workerItems(folders).find(
			({ folder: its, address }) => its === folder && address.task === task && address.worker === worker,
		);
	const run = (command: CommandId, ...args: readonly unknown[]) => failures.guard(() => handlers[command](args));
	return {
		showTerminal: async (folder, address) => {
			const item = itemOf(folder, address);
			if (item) await run('nancy.focusTerminal', item);
		},
		reply: async ({ folder, attention }) => {
			const { task, worker } = attention.address;
			const words = attention.kind === 'permission' ? undefined : attention.text;
			await failures.guard(() => compose.open([reachable(folders, folder, `${task}/${worker}`)], words));
		},
		showAll: calls =>
			calls.every(({ attention }) => attention.kind === 'delegate')
				? failures.guard(async () => void (await vscode.commands.executeCommand(`${VIEWS.delegates}.focus`)))
				: run('nancy.showAttention'),
		delegateChoices: call => delegateChoices(call, run),
	};
}

/** What is offered of a delegate that has ended. */
function delegateChoices(
	{ folder, attention }: Call,
	run: (command: CommandId, item: DelegateItem) => Promise<void>,
): ReturnType<Reactions['delegateChoices']> {
	const delegate = folder.delegates().find(({ record }) => record.id === attention.delegate?.id);
	if (!delegate) return [];
	const item = new DelegateItem(folder, delegate);
	const choice = (label: string, command: CommandId) => ({ label, run: () => run(command, item) });
	if (delegate.state === 'failed') return [choice(l10n.t('Show Log'), 'nancy.openDelegateLog')];
	const hasWorktree = standingWorktree(delegate, folder.delegates()) !== undefined;
	return [
		choice(l10n.t('Show Output'), 'nancy.showDelegateOutput'),
		...(hasWorktree ? [choice(l10n.t('Review Changes'), 'nancy.reviewDelegate')] : []),
	];
}
