import * as z from 'zod/mini';
import { TaskName } from '../../protocol/names.ts';
import { ProcessRecord } from '../../protocol/records.ts';
import { WorktreeName } from '../../protocol/worktree.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import { MergeRecords } from './mergeRecords.ts';

const FOLDER = 'worktrees';
const FILE = 'worktree.json';

/** A person has asked for it. It is written before the worktree is made, so that a kill leaves none that nobody knows. */
const Asked = z.looseObject({
	version: z.literal(1),
	task: TaskName,
	/** Top folder of the checkout that gets its changes. */
	repository: z.string(),
	/** With the uncommitted changes there. */
	withChanges: z.boolean(),
	/** The process that makes it. */
	by: ProcessRecord,
});
export type AskedWorktree = z.infer<typeof Asked>;

/**
 * The worktrees of a workspace's tasks, in the user's own folder: agents can write in `.nancy`, and what is merged, removed or worked in must
 * be a worktree that Nancy has made for a person. The worktrees of delegates are in their tickets.
 */
export class TaskWorktrees {
	constructor(private readonly own: OwnFolder) {}

	/** Notes it before it is made. `false`: there is one of this name already. */
	ask(name: WorktreeName, asked: Pick<AskedWorktree, 'task' | 'repository' | 'withChanges' | 'by'>): Promise<boolean> {
		return this.own.create({ version: 1, ...asked }, FOLDER, name, FILE);
	}

	/** Notes that another process makes it now. */
	async takeOver(name: WorktreeName, asked: AskedWorktree): Promise<void> {
		await this.own.write(asked, FOLDER, name, FILE);
	}

	/** `undefined` for a worktree that is no task's. */
	async of(name: string): Promise<AskedWorktree | undefined> {
		const known = WorktreeName.safeParse(name);
		return known.success ? this.own.read(Asked, FOLDER, known.data, FILE) : undefined;
	}

	/** Those of one task. They may be removed by now, or not made yet. */
	async ofTask(task: TaskName): Promise<(AskedWorktree & { name: WorktreeName })[]> {
		const found: (AskedWorktree & { name: WorktreeName })[] = [];
		for (const each of this.own.namesSync(FOLDER)) {
			const asked = await this.of(each);
			if (asked?.task === task) found.push({ ...asked, name: WorktreeName.parse(each) });
		}
		return found;
	}

	merges(name: WorktreeName): MergeRecords {
		return new MergeRecords(this.own, [FOLDER, name]);
	}

	/** Once the worktree is gone. */
	async forget(name: WorktreeName): Promise<void> {
		await this.own.remove(FOLDER, name);
	}
}
