import { watch as watchFolder, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { look } from '../../base/look.ts';

export interface WatchOptions {
	/** How often to look whether a notification was missed, in milliseconds. Default 5,000. */
	pollMs?: number;
	/**
	 * How many folders one such look takes, beside the root and those directly in it. With more folders, each has its turn in a later look,
	 * so that watching thousands costs no more than watching some. Default 500.
	 */
	pollFolders?: number;
	/** How long to gather changes before reporting them, in milliseconds. Default 10. */
	gatherMs?: number;
	/** Called once, when everything at the start is watched: later reads miss nothing. */
	onReady?: () => void;
	/** Folders for which this is true are not looked into. Hidden ones never are. */
	ignore?: (folder: string) => boolean;
}

/** How often to look for a root that is missing, in milliseconds: nothing notifies of it, and the look costs next to nothing. */
const MISSING_MS = 500;

/**
 * Reports the folders (below and including `root`) in which an entry came, went or was replaced. A notification of the system reports it at
 * once. A slow look at each folder's time finds missed changes, also on a system without free notifications. Never throws if folders
 * vanish. A missing root is awaited.
 */
export function watch(
	root: string,
	onChange: (folders: ReadonlySet<string>) => void,
	options: WatchOptions = {},
): Disposable {
	const watcher = new TreeWatcher(root, onChange, options);
	return { dispose: () => watcher.dispose() };
}

interface Watched {
	watcher: FSWatcher | undefined;
	mtimeNs: bigint;
	inode: bigint;
	/** Those directly in it that are watched. */
	inside: Set<string>;
}

class TreeWatcher implements Disposable {
	private readonly folders = new Map<string, Watched>();
	private readonly changed = new Set<string>();
	/** Named by a notification and not yet looked at. */
	private readonly named = new Set<string>();
	private isLookingAtNamed = false;
	/** Whose turn is next in the slow look. */
	private turns: Iterator<string> | undefined;
	private readonly pollMs: number;
	private readonly pollFolders: number;
	private readonly gatherMs: number;
	private readonly onReady: () => void;
	private readonly ignore: (folder: string) => boolean;
	private pollTimer: NodeJS.Timeout | undefined;
	private reportTimer: NodeJS.Timeout | undefined;
	private disposed = false;
	/** The first look reports nothing: the caller reads everything afterwards. */
	private isFirstLook = true;

	constructor(
		private readonly root: string,
		private readonly onChange: (folders: ReadonlySet<string>) => void,
		options: WatchOptions,
	) {
		this.pollMs = options.pollMs ?? 5000;
		this.pollFolders = options.pollFolders ?? 500;
		this.gatherMs = options.gatherMs ?? 10;
		this.onReady = options.onReady ?? (() => undefined);
		this.ignore = options.ignore ?? (() => false);
		this.poll();
	}

	dispose(): void {
		this.disposed = true;
		clearTimeout(this.pollTimer);
		clearTimeout(this.reportTimer);
		this.forget(this.root);
	}

	private poll(): void {
		void this.lookAround().finally(() => {
			if (this.disposed) return;
			if (this.isFirstLook) this.onReady();
			this.isFirstLook = false;
			this.pollLater();
		});
	}

	private pollLater(): void {
		clearTimeout(this.pollTimer);
		const waitMs = this.folders.has(this.root) ? this.pollMs : Math.min(this.pollMs, MISSING_MS);
		this.pollTimer = setTimeout(() => this.poll(), waitMs);
		this.pollTimer.unref();
	}

	private async lookAround(): Promise<void> {
		const isNew = !this.folders.has(this.root);
		await this.look(this.root);
		if (isNew) return; // all of it has just been looked at
		for (const folder of this.folders.get(this.root)?.inside ?? []) await this.look(folder);
		for (let count = 0; count < this.pollFolders && !this.disposed; count++) {
			this.turns ??= this.folders.keys();
			const { value: folder, done } = this.turns.next();
			if (done) {
				this.turns = undefined;
				return;
			}
			await this.look(folder);
		}
	}

	/** Compares a folder with its last state, and looks into it if it is new, or for new ones if it has changed. */
	private async look(folder: string): Promise<void> {
		const found = await look(folder);
		if (this.disposed) return;
		let known = this.folders.get(folder);
		if (known && (!found?.isDirectory() || known.inode !== found.ino)) {
			this.forget(folder);
			known = undefined;
		}
		if (!found?.isDirectory()) return;
		const isNew = known === undefined;
		// Watched before it is read, so that nothing falls between.
		known ??= this.remember(folder, found.ino);
		if (known.mtimeNs === found.mtimeNs) return;
		known.mtimeNs = found.mtimeNs;
		if (!(isNew && this.isFirstLook)) this.report(folder);
		// Expected: a folder without permission, or one that became a file. The next look tries again.
		const inside = await foldersIn(folder).catch(() => []);
		const present = new Set(inside);
		for (const other of known.inside) if (!present.has(other)) await this.look(other);
		for (const other of inside) {
			if (this.disposed) return;
			if (!this.folders.has(other) && !this.ignore(other)) await this.look(other);
		}
	}

	private remember(folder: string, inode: bigint): Watched {
		const watched = { watcher: this.notify(folder), mtimeNs: -1n, inode, inside: new Set<string>() };
		this.folders.set(folder, watched);
		this.folders.get(dirname(folder))?.inside.add(folder);
		return watched;
	}

	private notify(folder: string): FSWatcher | undefined {
		try {
			const watcher = watchFolder(folder, { persistent: false }, (type, name) => {
				if (this.disposed) return;
				this.report(folder);
				// The folder itself is not listed: thousands of files may come and go in it.
				if (type !== 'rename') return;
				this.lookAtNamed(name === null ? folder : join(folder, name));
				// So the system tells that the folder itself has gone. For any other folder, the folder above tells it, too.
				if (folder === this.root && name === basename(folder)) this.lookAtNamed(folder);
			});
			watcher.on('error', () => watcher.close());
			return watcher;
		} catch {
			// No more watches are available, or the folder is gone. The poll remains.
			return undefined;
		}
	}

	/** One look at a time. Changes during a look wait for the next one. */
	private lookAtNamed(folder: string): void {
		if (folder !== this.root && (basename(folder).startsWith('.') || this.ignore(folder))) return;
		this.named.add(folder);
		if (this.isLookingAtNamed) return;
		this.isLookingAtNamed = true;
		const work = async () => {
			// Also what is added meanwhile.
			for (const other of this.named) {
				this.named.delete(other);
				await this.look(other);
			}
			if (!this.folders.has(this.root) && !this.disposed) this.pollLater();
		};
		void work().finally(() => (this.isLookingAtNamed = false));
	}

	/** Also reports the folders in it. Closing their watchers drops the notifications that would have told of their end. */
	private forget(folder: string): void {
		const known = this.folders.get(folder);
		if (!known) return;
		for (const other of known.inside) this.forget(other);
		known.watcher?.close();
		this.folders.delete(folder);
		this.folders.get(dirname(folder))?.inside.delete(folder);
		this.report(folder);
	}

	private report(folder: string): void {
		if (this.disposed) return;
		this.changed.add(folder);
		this.reportTimer ??= setTimeout(() => {
			this.reportTimer = undefined;
			const changed = new Set(this.changed);
			this.changed.clear();
			this.onChange(changed);
		}, this.gatherMs);
	}
}

async function foldersIn(folder: string): Promise<string[]> {
	try {
		const entries = await readdir(folder, { withFileTypes: true });
		// Links are not followed. Hidden folders belong to their writers.
		return entries
			.filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
			.map(entry => join(folder, entry.name));
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	}
}
