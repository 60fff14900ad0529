import { writer, type Author } from '../../protocol/author.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { ORCHESTRATOR, TaskName, WorkerName, type MessageId } from '../../protocol/names.ts';
import type { Delegate } from '../delegates/delegate.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { MailboxListing } from '../mailbox/mailboxFiles.ts';
import type { Phase, WorkerState } from './overview.ts';
import { CLOCKS_DIFFER_MS, INTERRUPTED, ON_SCREEN } from './workerState.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';
import { idTime } from '../mailbox/messageId.ts';

/** An event for the human's attention. Never for a subagent, and never for events before the model was made. */
export interface Attention {
	/** Identifies the event in a later {@link AttentionTracker.onDidResolve}. */
	id: string;
	kind: 'stopped' | 'permission' | 'message' | 'delegate';
	/** The worker that wants attention. */
	address: WorkerAddress;
	/** The tool that wants permission; absent if the agent asks something else. */
	tool?: string;
	/** One short line: the last reply, the question, the message's first line. */
	text: string;
	/** The tool works on a file, whose path the text is. */
	isOnFile?: true;
	at: string;
	message?: MessageId;
	/** Who wrote the message: not always a worker, whose address then is the human's own. */
	author?: Author;
	/** The delegate that has ended, and how. */
	delegate?: { id: DelegateId; state: 'done' | 'failed' };
}

/** Feedback that waited for the stop is noted a moment later. The agent then works on, and nobody need look. */
const STOP_SETTLES_MS = 400;

/** The hook and the transcript, which say more of an end than the screen does, are read a moment later. */
const SCREEN_SETTLES_MS = 2500;

interface Seen {
	phase: Phase;
	at: string;
	stops: number;
}

/** Compares the present with the past state, and reports what a human should know. */
export class AttentionTracker implements Disposable {
	private readonly needed = new Emitter<Attention>();
	readonly onDidNeed: Event<Attention> = this.needed.event;
	private readonly resolved = new Emitter<Attention>();
	/** It was answered, read, or is out of date. */
	readonly onDidResolve: Event<Attention> = this.resolved.event;

	private readonly seen = new Map<string, Seen>();
	private readonly open = new Map<string, Attention>();
	private readonly settling = new Map<string, NodeJS.Timeout>();
	/** The last event of each worker: a screen between two looks can bring it back. */
	private readonly raised = new Map<string, string>();
	/** Delegates whose end needs no notification any more. */
	private readonly ended = new Map<DelegateId, string>();
	/** Messages that were there before, by mailbox. */
	private readonly known = new Map<TaskName, Set<MessageId>>();

	private readonly sinceMs: number;

	/** Earlier events are never reported. */
	constructor(private readonly now: () => number) {
		this.sinceMs = now();
	}

	dispose(): void {
		for (const timer of this.settling.values()) clearTimeout(timer);
		this.needed.dispose();
		this.resolved.dispose();
	}

	/** @param stops how many turns of the worker have ended so far */
	see(address: WorkerAddress, state: WorkerState, stops: number): void {
		const key = `${address.task}/${address.worker}`;
		const before = this.seen.get(key);
		this.seen.set(key, { phase: state.phase, at: state.at, stops });
		const atMs = Date.parse(state.at);
		const isNews = atMs >= this.sinceMs && atMs <= this.now() + CLOCKS_DIFFER_MS;
		const id = `${state.phase}:${key}:${state.at}`;
		const common = { id, address, text: state.summary ?? '', at: state.at };
		if (state.phase !== 'idle') this.cancel(key);
		if (state.phase === 'waiting') {
			const open = this.open.get(key);
			const isSame =
				before?.phase === 'waiting' && (open === undefined || open.text === common.text || common.text === '');
			if (isSame) return;
			this.resolve(key);
			if (!isNews || this.raised.get(key) === id) return;
			const tool = state.tool === undefined ? {} : { tool: state.tool };
			const about = {
				text: common.text || (state.tool ?? ''),
				...(state.isOnFile && { isOnFile: state.isOnFile }),
			};
			this.raised.set(key, id);
			this.raise(key, { ...common, ...tool, ...about, kind: 'permission' });
			return;
		}
		if (state.phase !== 'idle') {
			if (state.phase !== 'ended' || this.open.get(key)?.kind === 'permission') this.resolve(key);
			return;
		}
		if (this.open.get(key)?.kind === 'permission') this.resolve(key);
		const wasActive = before?.phase === 'working' || before?.phase === 'waiting';
		const hasStopped = stops > (before?.stops ?? 0) || wasActive;
		// The person who broke it off knows. Its screen may have shown the end before its record told the reason.
		if (state.source === INTERRUPTED || state.isUnprompted) {
			this.cancel(key);
			this.resolve(key);
			return;
		}
		if (!hasStopped || !isNews || this.raised.get(key) === id) return;
		this.cancel(key);
		const timer = setTimeout(
			() => {
				this.settling.delete(key);
				this.resolve(key);
				this.raised.set(key, id);
				this.raise(key, { ...common, kind: 'stopped' });
			},
			state.source === ON_SCREEN ? SCREEN_SETTLES_MS : STOP_SETTLES_MS,
		);
		timer.unref();
		this.settling.set(key, timer);
	}

	/**
	 * Looks at the human's mailbox of one task.
	 * @param isFirst the present messages are old
	 */
	seeMailbox(task: TaskName, listing: MailboxListing, isFirst: boolean): void {
		const known = this.known.get(task) ?? (isFirst ? undefined : new Set<MessageId>());
		const unread = listing.messages.filter(message => message.state === 'queued');
		if (known) {
			for (const { id, content, author } of unread) {
				// The mailbox may not have been read before.
				if (isFirst && id <= idTime(this.sinceMs)) continue;
				// A result is reported as the end of its delegate.
				if (known.has(id) || content.kind === 'result') continue;
				const address = addressOf(writer(author) ?? '') ?? { task, worker: ORCHESTRATOR };
				const text = content.text.split('\n', 1)[0] ?? '';
				const at = new Date().toISOString();
				this.raise(`${task}:${id}`, {
					id: `message:${task}:${id}`,
					kind: 'message',
					address,
					text,
					at,
					message: id,
					...(author && { author }),
				});
			}
		}
		this.known.set(task, new Set([...(known ?? []), ...unread.map(message => message.id)]));
		const ids = new Set<string>(unread.map(({ id }) => `${task}:${id}`));
		for (const key of this.open.keys()) if (key.startsWith(`${task}:`) && !ids.has(key)) this.resolve(key);
	}

	/**
	 * Looks at the delegates of the folder. A delegate that ends again, with a late result, is reported again.
	 * @param isFirst the present ends are old
	 */
	seeDelegates(delegates: readonly Delegate[], isFirst: boolean): void {
		for (const { record, status, state, error } of delegates) {
			const { id, task, worker } = record;
			if (state !== 'done' && state !== 'failed') continue;
			// Reported once its result is in its place: a reader of the notification finds everything.
			if (!status.reported || this.ended.get(id) === state) continue;
			this.ended.set(id, state);
			// The person who stopped it knows.
			if (isFirst || error === 'cancelled') continue;
			const at = status.ended_at ?? new Date().toISOString();
			this.raise(`//${id}`, {
				id: `delegate:${id}:${state}`,
				kind: 'delegate',
				address: { task, worker },
				text: error === undefined ? record.title : `${record.title}: ${error}`,
				at,
				delegate: { id, state },
			});
		}
	}

	/** Forgets workers that are gone. */
	keepOnly(addresses: readonly WorkerAddress[]): void {
		const keys = new Set(addresses.map(({ task, worker }) => `${task}/${worker}`));
		for (const key of this.seen.keys()) {
			if (keys.has(key)) continue;
			this.seen.delete(key);
			this.raised.delete(key);
			this.cancel(key);
			this.resolve(key);
		}
	}

	private cancel(key: string): void {
		clearTimeout(this.settling.get(key));
		this.settling.delete(key);
	}

	private raise(key: string, attention: Attention): void {
		this.open.set(key, attention);
		this.needed.fire(attention);
	}

	private resolve(key: string): void {
		const attention = this.open.get(key);
		if (!attention) return;
		this.open.delete(key);
		this.resolved.fire(attention);
	}
}

function addressOf(from: string): WorkerAddress | undefined {
	const [task, worker] = from.split('/');
	const address = { task: TaskName.safeParse(task), worker: WorkerName.safeParse(worker) };
	return address.task.success && address.worker.success
		? { task: address.task.data, worker: address.worker.data }
		: undefined;
}
