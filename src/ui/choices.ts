import type { Memento } from 'vscode';
import * as z from 'zod/mini';
import { Emitter } from '../base/event.ts';
import { INBOX_FILTERS } from './inbox/shownMessages.ts';

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

const InboxChoices = z.object({ shows: z.enum(INBOX_FILTERS) });
/** What the user has chosen to see of the messages. */
type InboxChoices = z.infer<typeof InboxChoices>;

const INBOX_KEY = 'inbox.choices';

/** What the user has chosen to see in this workspace. It is remembered over reloads. */
export class Choices {
	private readonly _onDidChange = new Emitter<void>();
	readonly onDidChange = this._onDidChange.event;
	private chosen: TaskChoices;
	private chosenOfInbox: InboxChoices;

	constructor(private readonly memory: Memento) {
		const kept = TaskChoices.safeParse(memory.get(KEY));
		this.chosen = kept.success ? kept.data : AT_FIRST;
		const keptOfInbox = InboxChoices.safeParse(memory.get(INBOX_KEY));
		this.chosenOfInbox = keptOfInbox.success ? keptOfInbox.data : { shows: 'current' };
	}

	get tasks(): TaskChoices {
		return this.chosen;
	}

	get inbox(): InboxChoices {
		return this.chosenOfInbox;
	}

	async chooseInbox(choices: InboxChoices): Promise<void> {
		this.chosenOfInbox = choices;
		this._onDidChange.fire();
		await this.memory.update(INBOX_KEY, choices);
	}

	async choose(change: Partial<TaskChoices>): Promise<void> {
		this.chosen = { ...this.chosen, ...change };
		this._onDidChange.fire();
		await this.memory.update(KEY, this.chosen);
	}
}
