import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { standingWorktree } from '../core/delegates/inWorktree.ts';
import { hasBegun } from '../core/driver/starting.ts';
import type { Attention } from '../core/live/attention.ts';
import { isSameAddress } from '../core/workspace/workspace.ts';
import type { Handlers } from './commands.ts';
import { VIEWS, type CommandId } from './contributions.ts';
import { DelegateItem } from './delegates/delegatesView.ts';
import type { Folders } from './folders.ts';
import type { ComposeView } from './inbox/composeView.ts';
import type { Failures } from './kit/failures.ts';
import type { Reactions } from './notifications.ts';
import { reachable, workerItems } from './pickers.ts';
import type { Folder } from './ports.ts';
import type { WorkerItem } from './tasks/tasksView.ts';

interface Collaborators {
	folders: Folders;
	failures: Failures;
	compose: ComposeView;
	handlers: Handlers;
}

interface Choice {
	label: string;
	run(): Promise<void>;
}

/** What the buttons of notifications do: mostly what a command does. */
export function reactions({ folders, failures, compose, handlers }: Collaborators): Reactions {
	const run = (command: CommandId, ...args: readonly unknown[]) => failures.guard(() => handlers[command](args));
	const choice: MakeChoice = (label, command, itemOf) => ({
		label,
		run: async () => {
			const item = itemOf();
			if (item) await run(command, item);
		},
	});
	return {
		showAll: calls =>
			calls.every(({ attention }) => attention.kind === 'delegate')
				? failures.guard(async () => void (await vscode.commands.executeCommand(`${VIEWS.delegates}.focus`)))
				: run('nancy.showAttention'),
		choices: ({ folder, attention }) => {
			if (attention.kind === 'delegate') return delegateChoices(folder, attention, choice);
			const { address } = attention;
			const worker = () =>
				workerItems(folders).find(each => each.folder === folder && isSameAddress(each.address, address));
			if (attention.kind === 'failed') return failureChoices(worker, choice);
			const show = choice(l10n.t('Show Terminal'), 'nancy.focusTerminal', worker);
			// A question is answered in the terminal. A message would wait for the answer.
			if (attention.kind === 'permission') return [show];
			const receiver = () => reachable(folders, folder, `${address.task}/${address.worker}`);
			const reply = () => failures.guard(() => compose.open([receiver()], attention.text));
			return [show, { label: l10n.t('Reply'), run: reply }];
		},
	};
}

/** @param itemOf the row of the command as it is when the button is pressed, perhaps an hour later */
type MakeChoice = (label: string, command: CommandId, itemOf: () => unknown) => Choice;

/** What is offered of an agent that has failed. */
function failureChoices(worker: () => WorkerItem | undefined, choice: MakeChoice): Choice[] {
	const record = worker()?.worker.record;
	if (!record) return [];
	const hasLines = (record.exit?.lines ?? []).length > 0;
	return [
		...(hasLines ? [choice(l10n.t('Show Terminal'), 'nancy.focusTerminal', worker)] : []),
		hasBegun(record)
			? choice(l10n.t('Resume'), 'nancy.resumeWorker', worker)
			: choice(l10n.t('Start Again'), 'nancy.startAgain', worker),
	];
}

/** What is offered of a delegate that has ended. */
function delegateChoices(folder: Folder, attention: Attention, choice: MakeChoice): Choice[] {
	const delegate = folder.delegates().find(({ record }) => record.id === attention.delegate?.id);
	if (!delegate) return [];
	const item = () => new DelegateItem(folder, delegate);
	if (delegate.state === 'failed') return [choice(l10n.t('Show Log'), 'nancy.openDelegateLog', item)];
	const hasWorktree = standingWorktree(delegate, folder.delegates()) !== undefined;
	return [
		choice(l10n.t('Show Output'), 'nancy.showDelegateOutput', item),
		...(hasWorktree ? [choice(l10n.t('Review Changes'), 'nancy.reviewDelegate', item)] : []),
	];
}
