import { Emitter, type Event } from '../../base/event.ts';
import type { Disposable } from '../../base/lifetime.ts';
import type { ChangedFile, ChangedLines, Changes, ChangesOf, Folder } from '../ports.ts';
import { keyOf } from './changesOf.ts';

/** How long changes of an agent that works are left alone after a look, in milliseconds. */
const REST_MS = 10_000;

/** How many changed files stand below a row. The review has all. */
const FILES_SHOWN = 50;

/** Changes as rows show them: the same object until they are others. */
export interface ShownChanges extends ChangedLines {
	/** The first ones. */
	readonly files: readonly ChangedFile[];
	/** How many there are beside these. */
	readonly more: number;
}

export const NO_CHANGES: ShownChanges = { files: [], more: 0, insertions: 0, deletions: 0 };

interface Known {
	/** What each that works there had done when its row was last drawn. */
	readonly marks: Map<string, string>;
	/** Something has happened there since git was asked. */
	isStale: boolean;
	/** When the last look began or ended, in milliseconds since 1970. */
	atMs: number;
	changes?: ShownChanges;
}

/**
 * The changes in worktrees and of tasks, for rows. Git is asked only if something has ended since, of one place at a time, and only of
 * places whose rows are shown.
 */
export class KnownChanges implements Disposable {
	private readonly changed = new Emitter<void>();
	readonly onDidChange: Event<void> = this.changed.event;
	private readonly known = new Map<string, Known>();
	private working: Promise<void> = Promise.resolve();

	/** @param ask asks git. A failure counts as nothing known */
	constructor(
		private readonly ask: (folder: Folder, of: ChangesOf) => Promise<Changes>,
		private readonly now: () => number = Date.now,
	) {}

	dispose(): void {
		this.changed.dispose();
	}

	/**
	 * What is known, and asks for more if there may be more.
	 * @param by who works there: several may, and the changes are the same for all
	 * @param mark differs once it has done something there; without one, nothing is asked
	 */
	of(folder: Folder, of: ChangesOf, by: string, mark: string | undefined): ShownChanges | undefined {
		const key = keyOf(folder, of);
		const known: Known = this.known.get(key) ?? { marks: new Map(), isStale: false, atMs: -Infinity };
		if (mark === undefined) return known.changes;
		this.known.set(key, known);
		if (known.marks.get(by) !== mark) known.isStale = true;
		known.marks.set(by, mark);
		if (known.isStale && this.now() - known.atMs >= REST_MS) {
			known.isStale = false;
			known.atMs = this.now();
			this.working = this.working.then(() => this.look(folder, of, key));
		}
		return known.changes;
	}

	/** Asks again for all that is shown: git may be asked from now on. */
	lookAgain(): void {
		this.known.clear();
		this.changed.fire();
	}

	private async look(folder: Folder, of: ChangesOf, key: string): Promise<void> {
		const found = await this.ask(folder, of).catch(() => undefined);
		const known = this.known.get(key);
		if (!known || !found) return;
		const changes = shown(found);
		const isOther = JSON.stringify(known.changes) !== JSON.stringify(changes);
		known.atMs = this.now();
		if (!isOther) return;
		known.changes = changes;
		this.changed.fire();
	}
}

function shown({ files, insertions, deletions }: Changes): ShownChanges {
	const first = files.slice(0, FILES_SHOWN);
	return { files: first, more: files.length - first.length, insertions, deletions };
}
