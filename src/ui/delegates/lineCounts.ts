import { Emitter, type Event } from '../../base/event.ts';
import type { Disposable } from '../../base/lifetime.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { ChangedLines, Folder } from '../ports.ts';

/** How long a worktree in which an agent works is left alone after a count, in milliseconds. */
const REST_MS = 10_000;

interface Known {
	/** What the worktree's delegates had done when its lines were last asked for. */
	mark: string;
	atMs: number;
	lines?: ChangedLines;
}

/**
 * The changed lines of worktrees, for rows. Git is asked only if a tool or a delegate has ended since, of one worktree at a time, and only
 * of worktrees whose rows are shown.
 */
export class LineCounts implements Disposable {
	private readonly changed = new Emitter<void>();
	readonly onDidChange: Event<void> = this.changed.event;
	private readonly known = new Map<string, Known>();
	private working: Promise<void> = Promise.resolve();

	/** @param count asks git. A failure counts as nothing known */
	constructor(
		private readonly count: (folder: Folder, worktree: Worktree) => Promise<ChangedLines>,
		private readonly now: () => number = Date.now,
	) {}

	dispose(): void {
		this.changed.dispose();
	}

	/**
	 * What is known, and asks for more if there may be more.
	 * @param mark differs once something has happened in the worktree
	 */
	of(folder: Folder, worktree: Worktree, mark: string): ChangedLines | undefined {
		const known = this.known.get(worktree.folder);
		if (known?.mark !== mark && this.now() - (known?.atMs ?? -Infinity) >= REST_MS) {
			this.known.set(worktree.folder, { ...known, mark, atMs: this.now() });
			this.working = this.working.then(() => this.look(folder, worktree));
		}
		return known?.lines;
	}

	/** Asks again for all that is shown: git may be asked from now on. */
	lookAgain(): void {
		this.known.clear();
		this.changed.fire();
	}

	private async look(folder: Folder, worktree: Worktree): Promise<void> {
		const lines = await this.count(folder, worktree).catch(() => undefined);
		const known = this.known.get(worktree.folder);
		if (!known || !lines) return;
		const isOther = known.lines?.insertions !== lines.insertions || known.lines.deletions !== lines.deletions;
		this.known.set(worktree.folder, { ...known, atMs: this.now(), lines });
		if (isOther) this.changed.fire();
	}
}
