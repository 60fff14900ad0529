import { watch as watchFolder, type FSWatcher } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import type { Disposable } from '../../base/lifetime.ts';

export interface WatchOptions {
	/** How often to look whether a notification was missed, in milliseconds. Default 5,000. */
	pollMs?: number;
	/** How long to gather changes before reporting them, in milliseconds. Default 10. */
	gatherMs?: number;
	/** Called once, when everything that was there at the start is watched: what is read from now on misses nothing. */
	onReady?: () => void;
	/** Folders for which this is true are not looked into. Hidden ones never are. */
	ignore?: (folder: string) => boolean;
}

/**
 * Reports the folders (below and including `root`) in which an entry came, went or was replaced. A notification of the system
 * brings it at once; a slow look at each folder's time brings what was missed, and what a system without notifications left to
 * give never sent. Never throws when folders vanish; a root that does not exist yet is waited for.
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
}

class TreeWatcher implements Disposable {
	private readonly folders = new Map<string, Watched>();
	private readonly changed = new Set<string>();
	private readonly pollMs: number;
	private readonly gatherMs: number;
	private readonly onReady: () => void;
	private readonly ignore: (folder: string) => boolean;
	private pollTimer: NodeJS.Timeout | undefined;
	private reportTimer: NodeJS.Timeout | undefined;
	private disposed = false;
	/** The first look reports nothing: whoever watches reads everything once it is done. */
	private isFirstLook = true;

	constructor(
		private readonly root: string,
		private readonly onChange: (folders: ReadonlySet<string>) => void,
		options: WatchOptions,
	) {
		this.pollMs = options.pollMs ?? 5000;
		this.gatherMs = options.gatherMs ?? 10;
		this.onReady = options.onReady ?? (() => undefined);
		this.ignore = options.ignore ?? (() => false);
		this.poll();
	}

	dispose(): void {
		this.disposed = true;
		clearTimeout(this.pollTimer);
		clearTimeout(this.reportTimer);
		for (const folder of this.folders.keys()) this.forget(folder);
	}

	private poll(): void {
		this.look(this.root, true)
			// Expected: a folder without permission, or one that became a file. The next look tries again.
			.catch(() => undefined)
			.finally(() => {
				if (this.disposed) return;
				if (this.isFirstLook) this.onReady();
				this.isFirstLook = false;
				this.pollTimer = setTimeout(() => this.poll(), this.pollMs);
				this.pollTimer.unref();
			});
	}

	/** Compares a folder with what was seen last; goes into its folders when it is new, changed, or `everything` is to be seen. */
	private async look(folder: string, everything: boolean): Promise<void> {
		const found = await lstat(folder, { bigint: true }).catch(() => undefined);
		if (this.disposed) return;
		let known = this.folders.get(folder);
		if (!found?.isDirectory() || (known && known.inode !== found.ino)) {
			if (known) {
				this.forget(folder);
				this.report(folder);
			}
			known = undefined;
			if (!found?.isDirectory()) return;
		}
		const isNew = known === undefined;
		// Watched before it is read, so that nothing falls between.
		known ??= { watcher: this.notify(folder), mtimeNs: -1n, inode: found.ino };
		this.folders.set(folder, known);
		const isChanged = known.mtimeNs !== found.mtimeNs;
		known.mtimeNs = found.mtimeNs;
		if (isChanged && !(isNew && this.isFirstLook)) this.report(folder);
		if (!isChanged && !everything) return;
		// A folder's own time changes with every folder made in it, so an unchanged one has only those that are known.
		const inside = isChanged
			? await foldersIn(folder)
			: [...this.folders.keys()].filter(other => isDirectlyIn(other, folder));
		if (isChanged) {
			const present = new Set(inside);
			for (const other of this.folders.keys())
				if (isDirectlyIn(other, folder) && !present.has(other)) await this.look(other, true);
		}
		for (const other of inside) {
			if (this.disposed) return;
			if (!this.ignore(other)) await this.look(other, everything || !this.folders.has(other));
		}
	}

	private notify(folder: string): FSWatcher | undefined {
		try {
			const watcher = watchFolder(folder, { persistent: false }, type => {
				if (this.disposed) return;
				this.report(folder);
				if (type === 'rename') this.look(folder, false).catch(() => undefined); // gone again: the poll sees it
			});
			watcher.on('error', () => watcher.close());
			return watcher;
		} catch {
			// No more watches to be had, or gone already: the poll is there.
			return undefined;
		}
	}

	private forget(folder: string): void {
		this.folders.get(folder)?.watcher?.close();
		this.folders.delete(folder);
	}

	private report(folder: string): void {
		this.changed.add(folder);
		this.reportTimer ??= setTimeout(() => {
			this.reportTimer = undefined;
			const changed = new Set(this.changed);
			this.changed.clear();
			if (!this.disposed) this.onChange(changed);
		}, this.gatherMs);
	}
}

async function foldersIn(folder: string): Promise<string[]> {
	try {
		const entries = await readdir(folder, { withFileTypes: true });
		// Links are not followed; hidden folders are a writer's own affair.
		return entries
			.filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
			.map(entry => join(folder, entry.name));
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	}
}

function isDirectlyIn(folder: string, parent: string): boolean {
	return dirname(folder) === parent;
}
