import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrently } from '../../base/concurrent.ts';
import { entriesOf } from '../../base/listing.ts';
import type { Driver } from '../driver/driver.ts';
import { readPlainText } from '../files/plainFile.ts';
import { REJECTED } from './rejected.ts';
import { readSpooled, type Spooled } from './spooled.ts';
import { byTime, type WaitingFile } from './waiting.ts';

export interface SpoolOptions {
	/** How long an unchanged, incomplete file may stay, in milliseconds. */
	unfinishedMs: number;
	now: () => number;
	/** Called for a file that is left in its place. */
	report: (file: string, reason: string) => void;
}

/** A larger file is no hook event. */
const LARGEST_FILE = 64 * 1024 * 1024;

/** The files that wait in the spool, and which of them are not whole or not Nancy's. */
export class SpoolFiles {
	/** Files that are not whole, as they were when last read. */
	private readonly unfinished = new Map<string, { mtimeNs: bigint; size: number; sinceMs: number }>();
	/** Files that are not Nancy's: reported once, then left out. */
	private readonly foreign = new Set<string>();

	constructor(
		private readonly folder: string,
		private readonly drivers: readonly Driver[],
		private readonly options: SpoolOptions,
	) {}

	/** The waiting files, oldest first. */
	async list(): Promise<WaitingFile[]> {
		const names: string[] = [];
		for (const entry of await entriesOf(this.folder)) {
			if (entry.name.startsWith('.') || entry.name === REJECTED || this.foreign.has(entry.name)) continue;
			if (entry.isFile()) names.push(entry.name);
			else this.leave(entry.name, 'not a file');
		}
		const listed: WaitingFile[] = [];
		const look = async (name: string) => {
			const found = await lstat(join(this.folder, name), { bigint: true }).catch(() => undefined);
			if (found?.isFile()) listed.push({ name, mtimeNs: found.mtimeNs, size: Number(found.size) });
		};
		await mapConcurrently(names, look, 128);
		const present = new Set(names);
		for (const name of this.unfinished.keys()) if (!present.has(name)) this.unfinished.delete(name);
		return listed.sort(byTime);
	}

	/** The verdicts on these files, in order. A file that cannot be read now has none, and comes again. */
	async read(batch: readonly WaitingFile[]): Promise<{ file: WaitingFile; spooled: Spooled }[]> {
		const texts = new Map<WaitingFile, string>();
		const readOne = async (file: WaitingFile) => {
			const since = this.unchangedSince(file);
			const isSettling = since !== undefined && this.options.now() - since < this.options.unfinishedMs;
			if (file.size > LARGEST_FILE || isSettling) return;
			const text = await readPlainText(join(this.folder, file.name)).catch(() => undefined);
			if (text !== undefined) texts.set(file, text);
		};
		await mapConcurrently(batch, readOne, 32);
		const read: { file: WaitingFile; spooled: Spooled }[] = [];
		for (const file of batch) {
			const text = texts.get(file);
			if (text !== undefined) read.push({ file, spooled: readSpooled(file.name, text, this.drivers) });
			else if (file.size > LARGEST_FILE) read.push({ file, spooled: { is: 'wrong', reason: 'too large' } });
		}
		return read;
	}

	/** Takes note of a file that is not whole. True if it has been so, unchanged, for too long. */
	isGivenUp(file: WaitingFile): boolean {
		const since = this.unchangedSince(file);
		if (since === undefined) this.unfinished.set(file.name, { ...file, sinceMs: this.options.now() });
		return since !== undefined && this.options.now() - since >= this.options.unfinishedMs;
	}

	/** The file is whole, or has been taken away. */
	forget(name: string): void {
		this.unfinished.delete(name);
	}

	/** Leaves a file that is not Nancy's in its place, and reports it once. */
	leave(name: string, reason: string): void {
		this.foreign.add(name);
		this.options.report(join(this.folder, name), reason);
	}

	/** When this file was first seen as it is, if it was not whole then. In milliseconds. */
	private unchangedSince({ name, mtimeNs, size }: WaitingFile): number | undefined {
		const known = this.unfinished.get(name);
		return known?.mtimeNs === mtimeNs && known.size === size ? known.sinceMs : undefined;
	}
}
