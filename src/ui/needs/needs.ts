import * as vscode from 'vscode';
import type { WorkerView } from '../../core/live/overview.ts';
import { messageTime } from '../../core/mailbox/messageId.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import type { Folders } from '../folders.ts';
import { openQuestions, questionOf, type QuestionItem } from '../questions/questionItem.ts';
import { isUnread, MailItem } from '../inbox/inboxItems.ts';
import { keyOf } from '../inbox/recipients.ts';
import type { Folder } from '../ports.ts';
import { WorkerItem } from '../tasks/tasksView.ts';
import type { Placed } from './round.ts';
import type { SeenStops } from './seenStops.ts';

/** An act that only the user can do: answer an agent, look at what it did, or read what it wrote. */
export type Need = Placed & { readonly folder: Folder; readonly since: string | undefined } & (
		| { readonly kind: 'question'; readonly item: QuestionItem }
		| { readonly kind: 'waiting' | 'stopped' | 'alert'; readonly item: WorkerItem }
		| { readonly kind: 'message' | 'delegate'; readonly item: MailItem }
	);

/** Feedback that waited for the stop sets the agent to work again a moment later, in milliseconds. */
const STOP_SETTLES_MS = 400;

const ORDER: readonly Need['kind'][] = ['question', 'waiting', 'stopped', 'alert', 'message', 'delegate'];

/** All that needs the user, in all folders: who waits first, and of each kind the oldest first. Archived tasks need nothing. */
export function needsOf(folders: Pick<Folders, 'list'>, seen: SeenStops): Need[] {
	const needs = [
		...openQuestions(folders).map(item => questionNeed(item)),
		...folders.list().flatMap(folder => [...workerNeeds(folder, seen), ...mailNeeds(folder)]),
	];
	return needs.toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** Messages that no agent has read yet. Nobody will read those that an ended delegate has left. */
export function countQueued(folders: Folders): number {
	let queued = 0;
	for (const task of folders.list().flatMap(openTasks)) {
		for (const { record, state, queued: own } of task.workers)
			if (record.delegate === undefined || state.phase !== 'ended') queued += own;
	}
	return queued;
}

function workerNeeds(folder: Folder, seen: SeenStops): Need[] {
	// Nothing runs here in Restricted Mode. A worker that seems to wait came with the folder.
	if (!vscode.workspace.isTrusted) return [];
	const needs: Need[] = [];
	for (const task of openTasks(folder)) {
		for (const worker of task.workers) {
			// Nobody is there to ask: what a delegate may not do is denied. Its result is a message.
			if (worker.record.delegate !== undefined) continue;
			const item = new WorkerItem(folder, task, worker);
			const key = keyOf(item);
			const { phase, since } = worker.state;
			const stoppedAt = stopOf(worker);
			// Its question is a need of its own. After the answer it needs nobody, though no event tells of a Yes at once.
			if (phase === 'waiting' && !questionOf(folder, item.address, since))
				needs.push({ place: placeOf('waiting', since, key), folder, kind: 'waiting', item, since });
			if (stoppedAt !== undefined && isStopped(worker, stoppedAt) && seen.isNew(key, stoppedAt))
				needs.push({
					place: placeOf('stopped', stoppedAt, key),
					folder,
					kind: 'stopped',
					item,
					since: stoppedAt,
				});
			const alertedAt = worker.alert?.at;
			if (alertedAt !== undefined && seen.isNew(alertKey(key), alertedAt))
				needs.push({
					place: placeOf('alert', alertedAt, key),
					folder,
					kind: 'alert',
					item,
					since: alertedAt,
				});
		}
	}
	return needs;
}

function questionNeed(item: QuestionItem): Need {
	const { folder, key, asked } = item;
	const since = asked.question.askedAt;
	return { place: placeOf('question', since, key), folder, kind: 'question', item, since };
}

/** When the worker failed, or when its last turn ended. UTC, ISO 8601. */
export function stopOf({ state, record, turnEndedAt }: WorkerView): string | undefined {
	return state.exitCode === undefined ? turnEndedAt : record.exit?.at;
}

/** Under this the user has seen what the worker's CLI told. */
export function alertKey(workerKey: string): string {
	return `${workerKey} alert`;
}

function isStopped({ state }: WorkerView, at: string): boolean {
	return state.exitCode !== undefined || (state.phase === 'idle' && hasSettled(at));
}

function mailNeeds(folder: Folder): Need[] {
	const withMail = openTasks(folder).filter(({ unread }) => unread > 0);
	return withMail.flatMap(({ record: { name: task } }) =>
		folder
			.messages({ task, worker: ORCHESTRATOR })
			.messages.map(message => new MailItem(folder, task, message))
			.filter(isUnread)
			.map(item => mailNeed(item)),
	);
}

function mailNeed(item: MailItem): Need {
	const { folder, task, message } = item;
	const kind = message.author.is === 'delegate' ? 'delegate' : 'message';
	const since = messageTime(message.id);
	return { place: placeOf(kind, since, `${folder.path}//${task}//${message.id}`), folder, kind, item, since };
}

/** Who waits comes first, and of each kind the oldest. */
function placeOf(kind: Need['kind'], since: string | undefined, key: string): string {
	return `${ORDER.indexOf(kind)} ${since ?? ''} ${key}`;
}

function openTasks(folder: Folder) {
	return folder.overview().tasks.filter(({ record }) => record.archivedAt === undefined);
}

function hasSettled(at: string): boolean {
	return Date.now() - Date.parse(at) >= STOP_SETTLES_MS;
}
