import * as z from 'zod/mini';
import { MergeRecord } from '../../protocol/merge.ts';
import { branchOf, idOfBranch, Worktree, WorktreeName } from '../../protocol/worktree.ts';
import type { OwnFolder } from '../files/ownFolder.ts';

const FOLDER = 'begun-merges';
const ENDING = '.json';

const BegunMerge = z.looseObject({ version: z.literal(1), worktree: Worktree, merge: MergeRecord });

/** A merge that may have changed the checkout, or not yet, or never. */
export type BegunMerge = Pick<z.infer<typeof BegunMerge>, 'worktree' | 'merge'>;

/**
 * The merges of a workspace's worktrees that have begun, in the user's own folder. Each is sealed before the checkout is changed and
 * forgotten once it is among the worktree's merges. So a kill in between leaves no merge that cannot be undone.
 */
export class BegunMerges {
	constructor(private readonly own: OwnFolder) {}

	async add({ worktree, merge }: BegunMerge): Promise<void> {
		await this.own.write({ version: 1, worktree, merge }, FOLDER, fileOf(worktree.branch));
	}

	/** @throws NancyError `bad-file` for an unreadable one */
	of(branch: string): Promise<BegunMerge | undefined> {
		return this.own.read(BegunMerge, FOLDER, fileOf(branch));
	}

	/** The branches of which a merge has begun, also one whose record is unreadable. */
	branches(): string[] {
		const names = this.own.namesSync(FOLDER).filter(name => name.endsWith(ENDING));
		return names.map(name => branchOf(name.slice(0, -ENDING.length)));
	}

	/** Forgets this one. Another process may have settled it, and have begun the next one of the same worktree. */
	async forget({ worktree: { branch }, merge: { at } }: BegunMerge): Promise<void> {
		if ((await this.of(branch))?.merge.at === at) await this.own.remove(FOLDER, fileOf(branch));
	}
}

function fileOf(branch: string): string {
	return WorktreeName.parse(idOfBranch(branch)) + ENDING;
}
