import * as z from 'zod/mini';
import { TaskName, WorkerName } from '../../protocol/names.ts';
import { ProcessRecord, type WorkerRecord } from '../../protocol/records.ts';
import { idOfBranch, WorktreeName } from '../../protocol/worktree.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import { MergeRecords } from './mergeRecords.ts';

const FOLDER = 'worktrees';
const ASKED = 'worktree.json';
const WORKERS = 'workers.json';

/** A person has asked for it. It is written before the worktree is made, so that a kill leaves none that nobody knows. */
const Asked = z.looseObject({
	version: z.literal(1),
	task: TaskName,
	/** Top folder of the checkout that gets its changes. */
	repository: z.string(),
	/** The process that makes it. */
	by: ProcessRecord,
});

/** The workers that work there: one, and those that began with a copy of its conversation. Written before their agents start. */
const Workers = z.looseObject({ version: z.literal(1), workers: z.array(WorkerName) });

export interface TaskWorktree extends Pick<z.infer<typeof Asked>, 'task' | 'repository' | 'by'> {
	readonly name: WorktreeName;
	/** Empty until an agent is about to start there. */
	readonly workers: readonly WorkerName[];
}

/**
 * The worktrees of a workspace's tasks, in the user's own folder. Agents can write in `.nancy`, so a worker's record only names its worktree;
 * that it is this worker's is sealed here. The worktrees of delegates are in their tickets.
 */
export class TaskWorktrees {
	constructor(private readonly own: OwnFolder) {}

	/** Notes it before it is made. `false`: there is one of this name already. */
	ask(name: WorktreeName, asked: Pick<TaskWorktree, 'task' | 'repository' | 'by'>): Promise<boolean> {
		return this.own.create({ version: 1, ...asked }, FOLDER, name, ASKED);
	}

	/** Notes that a worker works there from now on. */
	async handTo(name: WorktreeName, worker: WorkerName): Promise<void> {
		const workers = [...new Set([...((await this.of(name))?.workers ?? []), worker])];
		await this.own.write({ version: 1, workers }, FOLDER, name, WORKERS);
	}

	/** `undefined` for a worktree that is no task's. */
	async of(branch: string): Promise<TaskWorktree | undefined> {
		const name = WorktreeName.safeParse(idOfBranch(branch)).data;
		return name === undefined ? undefined : this.named(name);
	}

	private async named(name: WorktreeName): Promise<TaskWorktree | undefined> {
		const asked = await this.own.read(Asked, FOLDER, name, ASKED);
		if (!asked) return undefined;
		const { task, repository, by } = asked;
		const workers = (await this.own.read(Workers, FOLDER, name, WORKERS))?.workers ?? [];
		return { name, task, repository, by, workers };
	}

	/** The worktree that a worker's record names, if it is this worker's. */
	ofWorkerSync({ task, name: worker, worktree }: WorkerRecord): WorkerRecord['worktree'] {
		const name = worktree && WorktreeName.safeParse(idOfBranch(worktree.branch)).data;
		if (!worktree || name === undefined) return undefined;
		const asked = this.own.readSync(Asked, FOLDER, name, ASKED);
		const workers = this.own.readSync(Workers, FOLDER, name, WORKERS)?.workers ?? [];
		const isOwn = asked?.task === task && asked.repository === worktree.repository && workers.includes(worker);
		return isOwn ? worktree : undefined;
	}

	/** They may be removed by now, or not made yet. */
	async all(): Promise<TaskWorktree[]> {
		const names = this.own.namesSync(FOLDER).flatMap(name => WorktreeName.safeParse(name).data ?? []);
		const all = await Promise.all(names.map(name => this.named(name)));
		return all.filter(each => each !== undefined);
	}

	async ofTask(task: TaskName): Promise<TaskWorktree[]> {
		return (await this.all()).filter(each => each.task === task);
	}

	merges(name: WorktreeName): MergeRecords {
		return new MergeRecords(this.own, [FOLDER, name]);
	}

	/** Once the worktree is gone. */
	async forget(name: WorktreeName): Promise<void> {
		await this.own.remove(FOLDER, name);
	}
}
