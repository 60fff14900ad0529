import type { Disposable } from '../../base/lifetime.ts';
import { DelegateMirror } from '../delegates/delegateMirror.ts';
import type { Delegate } from '../delegates/delegate.ts';
import { Delegates } from '../delegates/delegates.ts';
import type { Tickets } from '../delegates/tickets.ts';
import type { FileProblem } from '../files/fileProblem.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A running delegate's status changes four times a second. All are read together, at this interval in milliseconds. */
const DELEGATES_MS = 250;

/** How often to look for the workers of a swarm, in milliseconds. */
const SWARM_MS = 2000;

/** How often waiting or running delegates are looked after, in milliseconds. */
const QUEUE_MS = 3000;

interface Duties {
	now: () => number;
	/** See {@link ModelOptions}. */
	tickets: Tickets | undefined;
	/** See {@link ModelOptions}. */
	lookAtQueue: ((delegates: Delegates) => Promise<void>) | undefined;
	/** The delegates' folder must be read. */
	touch: () => void;
	fail: (error: unknown) => void;
}

/** The delegates of a workspace, live. They are read at intervals, and looked after while one of them waits or runs. */
export class LiveDelegates implements Disposable {
	private readonly store: Delegates;
	private readonly mirror: DelegateMirror;
	private timer: NodeJS.Timeout | undefined;
	private readMs = 0;
	private tendedMs = 0;
	private tending: Promise<void> | undefined;

	constructor(
		private readonly workspace: Workspace,
		private readonly duties: Duties,
	) {
		this.store = new Delegates(workspace);
		this.mirror = new DelegateMirror(this.store, duties.tickets, duties.now);
	}

	dispose(): void {
		clearTimeout(this.timer);
	}

	/** Resolves when nobody looks at the queue any more. */
	async close(): Promise<void> {
		this.dispose();
		await this.tending;
	}

	/** Oldest first. */
	all(): readonly Delegate[] {
		return this.mirror.all();
	}

	find(id: string): Delegate | undefined {
		return this.mirror.find(id);
	}

	problems(): FileProblem[] {
		return this.mirror.problems();
	}

	/** Leaves the delegates' folder out if it was just read, and reads it a moment later. */
	withoutHaste(folders: ReadonlySet<string>): Iterable<string> {
		const { delegates } = this.workspace.paths;
		const waitMs = this.readMs + DELEGATES_MS - Date.now();
		if (!folders.has(delegates) || waitMs <= 0) return folders;
		this.timer ??= setTimeout(this.duties.touch, waitMs);
		return [...folders].filter(folder => folder !== delegates);
	}

	/** See {@link DelegateMirror.read}. */
	async read(isThorough = false): Promise<boolean> {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.readMs = Date.now();
		return this.mirror.read(isThorough);
	}

	tick(): void {
		// No notification reports a swarm's files.
		if (Date.now() - this.readMs > SWARM_MS) this.duties.touch();
		this.tend();
	}

	/**
	 * The keeper of the mailboxes may be a command that starts no delegate, and the queue has a lock of its own. So each window looks.
	 * Nobody waits for it: a slow runner must not delay the views.
	 */
	private tend(): void {
		const { lookAtQueue, now, fail } = this.duties;
		const isTime = now() - this.tendedMs >= QUEUE_MS;
		if (!lookAtQueue || this.tending || !isTime || !this.mirror.hasUnsettled()) return;
		this.tendedMs = now();
		this.tending = lookAtQueue(this.store)
			.catch(fail)
			.finally(() => (this.tending = undefined));
	}
}
