import { errorText } from '../../base/errors.ts';
import { ORCHESTRATOR, TaskName, WorkerName, type MessageId } from '../../protocol/names.ts';
import type { ShownScreen, TaskRecord, WorkerRecord } from '../../protocol/records.ts';
import type { FiledMessages, MailboxListing, MailboxProblem, StoredMessage } from '../mailbox/mailboxFiles.ts';
import { folderByState, MESSAGE_STATES, type MessageState } from '../mailbox/mailboxPaths.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import { shownScreens, type ShownScreens } from '../workspace/shownScreens.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';
import type { FileProblem } from '../files/fileProblem.ts';

/** A mailbox as last read, by the folders of its states. */
type Listings = ReadonlyMap<MessageState, MailboxListing>;

/** A message moves between these folders while it is edited or handed over. */
const WAITING: readonly MessageState[] = ['queued', 'claimed'];
/** How often a mailbox with a missing message is read. After that the message has been deleted. */
const LOOKS = 4;

const NO_SCREENS: ShownScreens = { byWorker: new Map(), problems: [] };

export interface MirroredTask {
	record: TaskRecord;
	workers: WorkerRecord[];
	screens: ShownScreens;
	problems: FileProblem[];
}

/** `.nancy/tasks` in memory, as last read: tasks, workers and mailboxes. Reads again only reported changes. */
export class TaskMirror {
	private tasks = new Map<TaskName, MirroredTask>();
	private readonly mailboxes = new Map<TaskName, Map<WorkerName, Listings>>();
	private readonly combined = new WeakMap<Listings, MailboxListing>();
	private readonly filed = new Map<string, FiledMessages>();
	private problemsOfTasks: FileProblem[] = [];
	/** Known until a task, a worker or a mailbox has changed. */
	private troubled: readonly { address: WorkerAddress; problems: MailboxProblem[] }[] | undefined;

	constructor(private readonly workspace: Workspace) {}

	all(): MirroredTask[] {
		return [...this.tasks.values()];
	}

	workers(): WorkerRecord[] {
		return this.all().flatMap(task => task.workers);
	}

	worker({ task, worker }: WorkerAddress): WorkerRecord | undefined {
		return this.tasks.get(task)?.workers.find(record => record.name === worker);
	}

	/** What its terminal has shown last, if that is watched. */
	screen({ task, worker }: WorkerAddress): ShownScreen | undefined {
		return this.tasks.get(task)?.screens.byWorker.get(worker);
	}

	/** Unreadable files, mailboxes included. */
	problems(): FileProblem[] {
		const ofTasks = this.all().flatMap(({ problems, screens }) => [...problems, ...screens.problems]);
		return [...this.problemsOfTasks, ...ofTasks, ...this.inMailboxes().flatMap(({ problems }) => problems)];
	}

	/** The mailboxes in which somebody else has moved a message that waits. */
	misplaced(): WorkerAddress[] {
		const found = this.inMailboxes().filter(({ problems }) => problems.some(each => each.isMisplaced));
		return found.map(({ address }) => address);
	}

	/** The mailboxes with problems. They are asked for every second, and hundreds of mailboxes have none. */
	private inMailboxes(): readonly { address: WorkerAddress; problems: MailboxProblem[] }[] {
		return (this.troubled ??= this.all()
			.flatMap(({ record: { name: task } }) => this.mailboxNames(task).map(worker => ({ task, worker })))
			.map(address => ({ address, problems: this.listings(address).flatMap(each => each.problems) }))
			.filter(({ problems }) => problems.length > 0));
	}

	/** A worker's mailbox, or the human's own (`orchestrator`). The same object until the mailbox was read again. */
	messages(address: WorkerAddress): MailboxListing {
		const listings = this.mailboxOf(address);
		if (!listings) return { messages: [], problems: [] };
		const known = this.combined.get(listings) ?? combine(inOrder(listings));
		this.combined.set(listings, known);
		return known;
	}

	private mailboxOf({ task, worker }: WorkerAddress): Listings | undefined {
		return this.mailboxes.get(task)?.get(worker);
	}

	private listings(address: WorkerAddress): MailboxListing[] {
		return inOrder(this.mailboxOf(address));
	}

	/** The messages of a mailbox that are in this state. */
	inState(address: WorkerAddress, state: MessageState): readonly StoredMessage[] {
		return this.mailboxOf(address)?.get(state)?.messages ?? [];
	}

	/** Everything again. */
	async readAll(): Promise<void> {
		await this.readTasks(() => true);
	}

	/** The present tasks. Reads workers and mailboxes only of new tasks, because changes in the others are reported. */
	async readTasks(isToRead: (task: TaskName) => boolean = () => false): Promise<void> {
		const { tasks, problems } = await this.workspace.tasks();
		this.problemsOfTasks = problems;
		const before = this.tasks;
		this.tasks = new Map();
		for (const record of tasks) {
			const known = before.get(record.name);
			const { workers = [], screens = NO_SCREENS, problems: ofTask = [] } = known ?? {};
			this.tasks.set(record.name, { record, workers, screens, problems: ofTask });
			if (!known || isToRead(record.name)) await this.readTask(record.name);
		}
		for (const name of before.keys()) if (!this.tasks.has(name)) this.forget(name);
		this.troubled = undefined;
	}

	private async readTask(name: TaskName): Promise<void> {
		await this.readWorkers(name);
		await this.readScreens(name);
		await this.readMailboxes(name, () => true);
	}

	private forget(name: TaskName): void {
		this.mailboxes.delete(name);
		for (const key of this.filed.keys()) if (key.startsWith(`${name}/`)) this.filed.delete(key);
	}

	/** @param segments the folder below `tasks/`, none of them empty */
	async readFolder([taskName, room, worker, state]: readonly string[]): Promise<void> {
		const name = TaskName.safeParse(taskName);
		if (!name.success) return;
		if (!this.tasks.has(name.data) || room === undefined) return this.readTasks(task => task === name.data);
		if (room === 'workers') {
			await this.readWorkers(name.data);
			return this.readMailboxes(name.data, address => !this.mailboxOf(address));
		}
		if (room === 'screens') return this.readScreens(name.data);
		const mailbox = WorkerName.safeParse(worker);
		if (room !== 'comms' || !mailbox.success) return this.readMailboxes(name.data, () => true);
		const states = MESSAGE_STATES.filter(each => state === undefined || folderByState[each] === state);
		await this.readMailbox({ task: name.data, worker: mailbox.data }, states);
	}

	private async readWorkers(name: TaskName): Promise<void> {
		const task = this.tasks.get(name);
		if (task) {
			const { workers, problems } = await this.workspace.workers(name);
			Object.assign(task, { workers, problems });
		}
		this.troubled = undefined;
	}

	private async readScreens(name: TaskName): Promise<void> {
		const task = this.tasks.get(name);
		if (task) task.screens = await shownScreens(this.workspace, name);
	}

	private async readMailboxes(task: TaskName, which: (address: WorkerAddress) => boolean): Promise<void> {
		for (const worker of this.mailboxNames(task)) {
			if (which({ task, worker })) await this.readMailbox({ task, worker }, MESSAGE_STATES);
		}
	}

	private mailboxNames(task: TaskName): WorkerName[] {
		return [ORCHESTRATOR, ...(this.tasks.get(task)?.workers.map(worker => worker.name) ?? [])];
	}

	/**
	 * A message moves between the folders of its states, also during an edit. If it moves while they are read, it may be seen in none of
	 * them, and its row would vanish for a moment. Then all folders are read again.
	 */
	private async readMailbox(address: WorkerAddress, states: readonly MessageState[]): Promise<void> {
		const before = this.mailboxOf(address);
		const waiting = idsIn(before, WAITING);
		let now = await this.readStates(address, states.some(isWaiting) ? [...WAITING, ...states] : states, before);
		for (let look = 1; look < LOOKS && !hasAll(now, waiting); look++)
			now = await this.readStates(address, MESSAGE_STATES, now);
		this.mailboxes.set(address.task, (this.mailboxes.get(address.task) ?? new Map()).set(address.worker, now));
		this.troubled = undefined;
	}

	private async readStates(
		address: WorkerAddress,
		states: readonly MessageState[],
		before: Listings | undefined,
	): Promise<Listings> {
		const byState = new Map(before);
		for (const state of new Set(states)) {
			const key = `${mailboxName(address)}/${state}`;
			const filed = this.filed.get(key) ?? new Map();
			this.filed.set(key, filed);
			const listing = this.workspace.mailbox(address).list([state], { known: filed });
			byState.set(state, await listing.catch((error: unknown) => brokenMailbox(address, error)));
		}
		// Seen in the one folder, and then in the other.
		const queued = idsIn(byState, ['queued']);
		const claimed = byState.get('claimed');
		if (claimed) {
			const messages = claimed.messages.filter(({ id }) => !queued.has(id));
			byState.set('claimed', { ...claimed, messages });
		}
		return byState;
	}
}

/** Whether each of these messages is in one of the folders. */
function hasAll(byState: Listings, ids: ReadonlySet<MessageId>): boolean {
	const found = idsIn(byState, MESSAGE_STATES);
	return [...ids].every(id => found.has(id));
}

function isWaiting(state: MessageState): boolean {
	return WAITING.includes(state);
}

function idsIn(byState: Listings | undefined, states: readonly MessageState[]): ReadonlySet<MessageId> {
	return new Set(states.flatMap(state => byState?.get(state)?.messages.map(({ id }) => id) ?? []));
}

function inOrder(byState: Listings | undefined): MailboxListing[] {
	return MESSAGE_STATES.flatMap(state => byState?.get(state) ?? []);
}

function combine(listings: readonly MailboxListing[]): MailboxListing {
	const messages = listings.flatMap(listing => listing.messages);
	const others = messages.filter(message => message.state !== 'queued').sort((a, b) => (a.id < b.id ? 1 : -1));
	return {
		messages: [...messages.filter(message => message.state === 'queued'), ...others],
		problems: listings.flatMap(listing => listing.problems),
	};
}

function brokenMailbox(address: WorkerAddress, error: unknown): MailboxListing {
	return { messages: [], problems: [{ file: mailboxName(address), reason: errorText(error) }] };
}
