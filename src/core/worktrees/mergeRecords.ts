import * as z from 'zod/mini';
import { look, stampOf } from '../../base/look.ts';
import { MergeRecord } from '../../protocol/merge.ts';
import type { OwnFolder } from '../files/ownFolder.ts';

const FILE = 'merges.json';

/** Merges of a worktree that were not undone, oldest first. */
const Merges = z.looseObject({ version: z.literal(1), merges: z.array(MergeRecord) });

/** The sealed merges of one worktree. Undoing a merge relies on them, so no file of the workspace can stand in for them. */
export class MergeRecords {
	private readonly segments: readonly string[];

	/** @param folder of the worktree's owner, in the user's own folder */
	constructor(
		private readonly own: OwnFolder,
		folder: readonly string[],
	) {
		this.segments = [...folder, FILE];
	}

	/** Oldest first. */
	async list(): Promise<MergeRecord[]> {
		return (await this.own.read(Merges, ...this.segments))?.merges ?? [];
	}

	/** Does nothing if it is there already: after a kill, nobody knows whether it was added. */
	async add(merge: MergeRecord): Promise<void> {
		const merges = await this.list();
		if (merges.every(({ at }) => at !== merge.at)) await this.write([...merges, merge]);
	}

	/** Forgets the last merge, which was undone. */
	async dropLast(): Promise<void> {
		await this.write((await this.list()).slice(0, -1));
	}

	/** Differs once {@link list} may: for a caller that has read them before. */
	async look(): Promise<string> {
		return stampOf(await look(this.own.path(...this.segments)));
	}

	private async write(merges: readonly MergeRecord[]): Promise<void> {
		await this.own.write({ version: 1, merges }, ...this.segments);
	}
}
