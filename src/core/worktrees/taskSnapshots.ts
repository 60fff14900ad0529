import * as z from 'zod/mini';
import { look, stampOf } from '../../base/look.ts';
import { uniqueHex } from '../../base/unique.ts';
import { TaskName } from '../../protocol/names.ts';
import type { OwnFolder } from '../files/ownFolder.ts';

const FOLDER = 'snapshots';
/** The folder for records of snapshots that are no task's any more. Their refs may still be there. */
const ASIDE = 'dropped-snapshots';
const ENDING = '.json';

const TaskSnapshot = z.object({
	version: z.literal(1),
	/** Top folder of the checkout. */
	repository: z.string(),
	tree: z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)),
	/** Keeps the tree. */
	ref: z.string().check(z.regex(/^refs\/nancy\/snapshots\/[0-9a-f]+$/)),
});
type TaskSnapshot = Omit<z.infer<typeof TaskSnapshot>, 'version'>;

/** The files of the workspace folder as they were when a person started a task there, in the user's own folder. */
export class TaskSnapshots {
	constructor(private readonly own: OwnFolder) {}

	async note(task: TaskName, { repository, tree, ref }: TaskSnapshot): Promise<void> {
		await this.own.write({ version: 1, repository, tree, ref }, FOLDER, task + ENDING);
	}

	of(task: TaskName): Promise<TaskSnapshot | undefined> {
		return this.own.read(TaskSnapshot, FOLDER, task + ENDING);
	}

	/** The tasks with one. */
	tasksSync(): TaskName[] {
		const names = this.own.namesSync(FOLDER).filter(name => name.endsWith(ENDING));
		return names.flatMap(name => TaskName.safeParse(name.slice(0, -ENDING.length)).data ?? []);
	}

	/** Differs once {@link tasksSync} may: for a caller that has asked before. */
	async look(): Promise<string> {
		return stampOf(await look(this.own.path(FOLDER)));
	}

	/** The task has none from now on, and may get another one. Does nothing without one. */
	putAside(task: TaskName): void {
		this.own.moveSync([FOLDER, task + ENDING], [ASIDE, uniqueHex(16) + ENDING]);
	}

	/** The names of the records that were put aside. */
	asideSync(): string[] {
		return this.own.namesSync(ASIDE).filter(name => name.endsWith(ENDING));
	}

	aside(name: string): Promise<TaskSnapshot | undefined> {
		return this.own.read(TaskSnapshot, ASIDE, name);
	}

	async forgetAside(name: string): Promise<void> {
		await this.own.remove(ASIDE, name);
	}
}
