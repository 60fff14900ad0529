import type { Disposable } from '../../base/lifetime.ts';
import { DelegateMirror } from '../delegates/delegateMirror.ts';
import type { Delegate } from '../delegates/delegate.ts';
import { Delegates } from '../delegates/delegates.ts';
import type { FileProblem, Workspace } from '../workspace/workspace.ts';

/** A running delegate's status changes four times a second: all of them are read together, in milliseconds. */
const DELEGATES_MS = 250;

/** How often to look for the workers of a swarm, in milliseconds. */
const SWARM_MS = 2000;

/** How often delegates that wait or run are looked after, in milliseconds. */
const QUEUE_MS = 3000;

interface Duties {
	now: () => number;
	/** See {@link ModelOptions}. */
	lookAtQueue: ((delegates: Delegates) => Promise<void>) | undefined;
	/** The delegates' folder is to be read. */
	touch: () => void;
	fail: (error: unknown) => void;
}

/** The delegates of a workspace, live: read in no haste, and looked after while one of them waits or runs. */
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
		this.mirror = new DelegateMirror(this.store, duties.now);
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
	all(): Delegate[] {
		return this.mirror.all();
	}

	find(id: string): Delegate | undefined {
		return this.mirror.find(id);
	}

	problems(): FileProblem[] {
		return this.mirror.problems();
	}

	/** Leaves the delegates' folder out where it was read a moment ago, and has it read in a moment. */
	withoutHaste(folders: ReadonlySet<string>): Iterable<string> {
		const { delegates } = this.workspace.paths;
		const waitMs = this.readMs + DELEGATES_MS - Date.now();
		if (!folders.has(delegates) || waitMs <= 0) return folders;
		this.timer ??= setTimeout(this.duties.touch, waitMs);
		return [...folders].filter(folder => folder !== delegates);
	}

	/** Whether anything is other than it was. */
	async read(): Promise<boolean> {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.readMs = Date.now();
		return this.mirror.read();
	}

	tick(): void {
		// Nothing tells of a swarm's files.
		if (Date.now() - this.readMs > SWARM_MS) this.duties.touch();
		this.tend();
	}

	/**
	 * Whoever keeps the mailboxes may be a command that starts no delegate, and the queue has a lock of its own: so each window looks.
	 * Nobody waits for it: a runner that is slow to start must not hold up what is shown.
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
