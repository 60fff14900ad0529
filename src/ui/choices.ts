import type { Memento } from 'vscode';
import * as z from 'zod/mini';
import { Emitter } from '../base/event.ts';

const TaskChoices = z.object({
	showsArchived: z.boolean(),
	hidesEnded: z.boolean(),
	isGrouped: z.boolean(),
	sort: z.enum(['newest', 'name']),
});
/** What the user has chosen to see of the tasks. */
export type TaskChoices = z.infer<typeof TaskChoices>;

const AT_FIRST: TaskChoices = { showsArchived: false, hidesEnded: false, isGrouped: false, sort: 'newest' };
const KEY = 'tasks.choices';

/** What the user has chosen to see in this workspace. It is remembered over reloads. */
export class Choices {
	private readonly _onDidChange = new Emitter<void>();
	readonly onDidChange = this._onDidChange.event;
	private chosen: TaskChoices;

	constructor(private readonly memory: Memento) {
		const kept = TaskChoices.safeParse(memory.get(KEY));
		this.chosen = kept.success ? kept.data : AT_FIRST;
	}

	get tasks(): TaskChoices {
		return this.chosen;
	}

	async choose(change: Partial<TaskChoices>): Promise<void> {
		this.chosen = { ...this.chosen, ...change };
		this._onDidChange.fire();
		await this.memory.update(KEY, this.chosen);
	}
}
