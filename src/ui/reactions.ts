import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../base/errors.ts';
import { standingWorktree } from '../core/delegates/inWorktree.ts';
import { hasBegun } from '../core/workspace/workerLife.ts';
import type { Attention } from '../core/live/attention.ts';
import { isSameAddress } from '../core/workspace/workspace.ts';
import type { Handlers } from './commands.ts';
import { VIEWS, type CommandId } from './contributions.ts';
import { DelegateItem } from './delegates/delegatesView.ts';
import type { Folders } from './folders.ts';
import type { ComposeView } from './inbox/composeView.ts';
import type { Failures } from './kit/failures.ts';
import type { Reactions } from './notifications.ts';
import { workerItems } from './pickers.ts';
import type { Folder } from './ports.ts';
import type { WorkerItem } from './tasks/tasksView.ts';

/** The commands of the buttons. */
type Reaction = Extract<
	CommandId,
	| 'nancy.showAttention'
	| 'nancy.focusTerminal'
	| 'nancy.resumeWorker'
	| 'nancy.startAgain'
	| 'nancy.openDelegateLog'
	| 'nancy.showDelegateOutput'
	| 'nancy.reviewDelegate'
>;

interface Collaborators {
	folders: Pick<Folders, 'list'>;
	failures: Pick<Failures, 'guard'>;
	compose: Pick<ComposeView, 'open'>;
	handlers: Pick<Handlers, Reaction>;
}

interface Choice {
	label: string;
	run(): Promise<void>;
}

/** What the buttons of notifications do: mostly what a command does. */
export function reactions({ folders, failures, compose, handlers }: Collaborators): Reactions {
	const run = (command: Reaction, ...args: readonly unknown[]) => failures.guard(() => handlers[command](args));
	const choice: MakeChoice = (label, command, itemOf) => ({
		label,
		run: () => failures.guard(() => handlers[command]([itemOf()])),
	});
	const inbox: Choice = {
		label: l10n.t('Show Inbox'),
		run: () => failures.guard(async () => void (await vscode.commands.executeCommand(`${VIEWS.inbox}.focus`))),
	};
	return {
		showAll: calls =>
			calls.every(({ attention }) => attention.kind === 'delegate')
				? failures.guard(async () => void (await vscode.commands.executeCommand(`${VIEWS.delegates}.focus`)))
				: run('nancy.showAttention'),
		choices: ({ folder, attention }) => {
			if (attention.kind === 'delegate') return delegateChoices(folder, attention, choice);
			const { address } = attention;
			const find = () =>
				workerItems(folders).find(each => each.folder === folder && isSameAddress(each.address, address));
			const named = find();
			// Of an author who is no worker, or not known.
			if (!named && attention.kind === 'message') return [inbox];
			const worker = () => stillThere(named, find());
			if (attention.kind === 'failed') return named ? failureChoices(named, worker, choice) : [];
			const show = choice(l10n.t('Show Terminal'), 'nancy.focusTerminal', worker);
			// A question is answered in the terminal. A message would wait for the answer.
			if (attention.kind === 'permission') return [show];
			const reply = () => failures.guard(() => compose.open([worker()], attention.text));
			return [show, { label: l10n.t('Reply'), run: reply }];
		},
	};
}

/** @param itemOf the row of the command as it is when the button is pressed, perhaps an hour later */
type MakeChoice = (label: string, command: Reaction, itemOf: () => unknown) => Choice;

/** @throws NancyError `no-task` if the worker is gone, even if a worker of a later task has its name by now */
function stillThere(named: WorkerItem | undefined, now: WorkerItem | undefined): WorkerItem {
	if (now && now.task.record.createdAt === named?.task.record.createdAt) return now;
	throw new NancyError('no-task', l10n.t('This worker can no longer be reached.'));
}

/** What is offered of an agent that has failed. */
function failureChoices({ worker: { record } }: WorkerItem, worker: () => WorkerItem, choice: MakeChoice): Choice[] {
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
	const find = () => folder.delegates().find(({ record }) => record.id === attention.delegate?.id);
	const delegate = find();
	if (!delegate) return [];
	const item = () => {
		const now = find();
		if (now) return new DelegateItem(folder, now);
		throw new NancyError('no-task', l10n.t('This delegate is no longer there.'));
	};
	if (delegate.state === 'failed') return [choice(l10n.t('Show Log'), 'nancy.openDelegateLog', item)];
	const hasWorktree = standingWorktree(delegate, folder.delegates()) !== undefined;
	return [
		choice(l10n.t('Show Output'), 'nancy.showDelegateOutput', item),
		...(hasWorktree ? [choice(l10n.t('Review Changes'), 'nancy.reviewDelegate', item)] : []),
	];
}
