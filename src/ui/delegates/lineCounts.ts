import { Emitter, type Event } from '../../base/event.ts';
import type { Disposable } from '../../base/lifetime.ts';
import type { ChangedLines, ChangesOf, Folder } from '../ports.ts';
import { keyOf } from './changesOf.ts';

/** How long changes of an agent that works are left alone after a count, in milliseconds. */
const REST_MS = 10_000;

interface Known {
	/** What had been done there when the lines were last asked for. */
	mark: string;
	atMs: number;
	lines?: ChangedLines;
}

/**
 * The changed lines of worktrees and tasks, for rows. Git is asked only if something has ended since, of one place at a time, and only of
 * places whose rows are shown.
 */
export class LineCounts implements Disposable {
	private readonly changed = new Emitter<void>();
	readonly onDidChange: Event<void> = this.changed.event;
	private readonly known = new Map<string, Known>();
	private working: Promise<void> = Promise.resolve();

	/** @param count asks git. A failure counts as nothing known */
	constructor(
		private readonly count: (folder: Folder, of: ChangesOf) => Promise<ChangedLines>,
		private readonly now: () => number = Date.now,
	) {}

	dispose(): void {
		this.changed.dispose();
	}

	/**
	 * What is known, and asks for more if there may be more.
	 * @param mark differs once something has happened there; without one, nothing is asked
	 */
	of(folder: Folder, of: ChangesOf, mark: string | undefined): ChangedLines | undefined {
		const key = keyOf(folder, of);
		const known = this.known.get(key);
		const isNews = mark !== undefined && known?.mark !== mark;
		if (isNews && this.now() - (known?.atMs ?? -Infinity) >= REST_MS) {
			this.known.set(key, { ...known, mark, atMs: this.now() });
			this.working = this.working.then(() => this.look(folder, of, key));
		}
		return known?.lines;
	}

	/** Asks again for all that is shown: git may be asked from now on. */
	lookAgain(): void {
		this.known.clear();
		this.changed.fire();
	}

	private async look(folder: Folder, of: ChangesOf, key: string): Promise<void> {
		const lines = await this.count(folder, of).catch(() => undefined);
		const known = this.known.get(key);
		if (!known || !lines) return;
		const isOther = known.lines?.insertions !== lines.insertions || known.lines.deletions !== lines.deletions;
		this.known.set(key, { ...known, atMs: this.now(), lines });
		if (isOther) this.changed.fire();
	}
}
