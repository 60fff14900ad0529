import type { DriverId, MessageId, SessionId, TaskName } from '../../protocol/names.ts';
import type { Receipt, WorkerRecord } from '../../protocol/records.ts';
import { BudgetKeeper } from './budgetKeeper.ts';
import type { BudgetMirror } from './budgetMirror.ts';
import { deleteFoundTasks, FOUND_TASK_MS } from './foundTasks.ts';
import { sweepLeftovers } from './leftovers.ts';
import type { Driver } from '../driver/driver.ts';
import { transcriptIn } from '../driver/driverIn.ts';
import type { Overview, WorkerState } from './overview.ts';
import type { Prober } from './prober.ts';
import { ProcessLock } from '../files/processLock.ts';
import type { SessionView } from './sessionView.ts';
import type { TaskMirror } from './taskMirror.ts';
import { isSettled, settleDeliveries, unproven, type Unproven } from '../sessions/lostDeliveries.ts';
import { Upkeep } from './upkeep.ts';
import { PROCESS_GONE } from './workerState.ts';
import type { WorkerStates } from './workerStates.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { finishDeletions } from '../sessions/deletion.ts';

/** An agent without events for so long may have been interrupted. */
const DOUBT_MS = 2500;

/** How long after its end a CLI may write into its record, in milliseconds: one writes the cost then. */
const LAST_WORDS_MS = 10_000;

/** How often to look for useless leftovers: a day, in milliseconds. */
const TIDY_MS = 24 * 60 * 60 * 1000;

/** How often a delivery is looked up, each time after a further turn. Each look reads the whole record. */
const MOST_LOOK_UPS = 3;

interface LookUps {
	deliveredAt: string;
	/** The end of the turn after which it was last looked up. */
	turnOverAt: string | undefined;
	count: number;
}

interface Surroundings {
	workspace: Workspace;
	drivers: readonly Driver[];
	tasks: TaskMirror;
	states: WorkerStates;
	prober: Prober;
	budgets: BudgetMirror;
	now: () => number;
	/** It only looks, and keeps no mailbox. */
	isReadOnly: boolean;
	/** It looks once, for a command. */
	once: boolean;
	fail: (file: string, error: unknown) => void;
}

/**
 * Looks at facts without a notification: processes, transcripts, the agents' own status. One of all observers at a time also keeps the
 * mailboxes, whoever collects. A command that follows traffic may run for hours and keeps nothing.
 */
export class Lookout {
	private readonly upkeep: Upkeep;
	private readonly budgets: BudgetKeeper;
	private readonly keeping: ProcessLock;
	private isKeeping = false;
	/** Unproven deliveries that were looked up in the agent's record. Those that are proven, queued again or gone are forgotten. */
	private lookedUp: ReadonlyMap<MessageId, LookUps> = new Map();
	/** Earlier sessions whose transcripts were read. */
	private readonly readOnce = new WeakSet<SessionView>();
	/** Tasks with a transcript that could not be read: nobody knows what they have used. */
	private readonly unread = new Set<TaskName>();
	private tidiedMs = -Infinity;
	private sweeping: Promise<void> | undefined;

	constructor(private readonly around: Surroundings) {
		this.upkeep = new Upkeep(around.workspace, around.drivers, around.now);
		this.budgets = new BudgetKeeper(around.workspace, around.tasks, around.now);
		this.keeping = new ProcessLock(around.workspace.paths.upkeepLock);
	}

	/** Lets another window keep the mailboxes. */
	async release(): Promise<void> {
		await this.sweeping;
		await this.keeping.release();
	}

	/**
	 * The keeper of the mailboxes also removes useless leftovers now and then. Returns the removed tasks.
	 * @param overview the present one
	 */
	async tidy({ tasks }: Overview): Promise<readonly TaskName[]> {
		const { workspace, now, isReadOnly, once } = this.around;
		if (isReadOnly || !this.isKeeping || now() - this.tidiedMs < TIDY_MS) return [];
		this.tidiedMs = now();
		// Nobody waits for it. A command that looks once leaves it to windows.
		if (!once) this.sweeping = sweepLeftovers(workspace).catch(() => undefined);
		return deleteFoundTasks(workspace, tasks, now() - FOUND_TASK_MS);
	}

	/** Becomes the keeper if nobody else is. */
	async keep(): Promise<void> {
		this.isKeeping = await this.mayKeep();
	}

	/** Returns whether any fact may be other than before. */
	async look(): Promise<boolean> {
		const { tasks, states, prober, drivers, budgets, now, fail, workspace } = this.around;
		const failed = (error: unknown) => fail(workspace.own.folder, error);
		let isOther = (await budgets.read().catch(failed)) ?? false;
		if (this.isKeeping) await this.returnMisplaced();
		const doubtful = new Map<DriverId, SessionId[]>();
		const stillOpen = new Map<MessageId, LookUps>();
		this.unread.clear();
		for (const record of tasks.workers()) {
			const { state, view, sessions } = states.of(record);
			isOther = (await this.readTranscript(record, view, state)) || isOther;
			for (const each of sessions) if (each !== view) isOther = (await this.readEarlier(record, each)) || isOther;
			const isActive = state.phase === 'working' || state.phase === 'waiting' || state.phase === 'starting';
			const isInDoubt = isActive && now() - Date.parse(view?.state?.at ?? record.startedAt) > DOUBT_MS;
			const session = view?.session ?? record.sessions.at(-1)?.id;
			if (isInDoubt && session !== undefined)
				doubtful.set(record.agent, [...(doubtful.get(record.agent) ?? []), session]);
			if (this.isKeeping) await this.tend(record, view, state, stillOpen);
		}
		this.lookedUp = stillOpen;
		for (const driver of drivers) isOther = (await prober.look(driver, doubtful.get(driver.id) ?? [])) || isOther;
		return states.takeNews() || isOther;
	}

	/**
	 * The keeper also pauses tasks whose budget is used up.
	 * @param isWhole everything has been read: otherwise more may have been used than is known
	 */
	async tendBudgets({ tasks }: Overview, isWhole: boolean): Promise<void> {
		const { workspace, budgets, fail } = this.around;
		if (!this.isKeeping || !budgets.isRead) return;
		for (const task of tasks) {
			const isKnown = isWhole && !this.unread.has(task.record.name);
			if (!isKnown && task.budget && task.budget.level !== 'spent') continue;
			const failed = (error: unknown) => fail(workspace.paths.task(task.record.name), error);
			await this.budgets.tend(task).catch(failed);
		}
	}

	/** Messages that somebody has moved out of an inbox. No hook may run to see it, because the guard finds nothing there. */
	private async returnMisplaced(): Promise<void> {
		const { tasks, workspace, fail } = this.around;
		for (const address of tasks.misplaced()) {
			const mailbox = workspace.mailbox(address);
			await mailbox.recover().catch((error: unknown) => fail(mailbox.folder, error));
		}
	}

	private async mayKeep(): Promise<boolean> {
		const { isReadOnly, tasks, workspace } = this.around;
		// The lock would make the folder in a workspace without Nancy.
		if (isReadOnly || tasks.all().length === 0) return false;
		// On a full disk nothing can be kept; the next tick tries again.
		const mayKeep = await this.keeping.hold().catch(() => false);
		if (mayKeep && !this.isKeeping) await finishDeletions(workspace).catch(() => undefined);
		return mayKeep;
	}

	private async tend(
		record: WorkerRecord,
		view: SessionView | undefined,
		state: WorkerState,
		stillOpen: Map<MessageId, LookUps>,
	): Promise<void> {
		const { tasks, states, workspace, fail } = this.around;
		const address = { task: record.task, worker: record.name };
		// A full disk or a vanished task: the next tick tries again.
		await this.settle(record, view, state, stillOpen)
			.then(() => this.upkeep.tend(record, states.aheadOf(record, state), tasks.inState(address, 'queued')))
			.catch((error: unknown) => fail(workspace.paths.mailbox(record.task, record.name), error));
	}

	private async readTranscript(
		record: WorkerRecord,
		view: SessionView | undefined,
		state: WorkerState,
	): Promise<boolean> {
		const { tasks, drivers } = this.around;
		if (!view) return false;
		this.findTranscript(record, view);
		const { transcript } = view;
		if (!transcript) return false;
		const isFirst = transcript.facts.lastReply === undefined && transcript.facts.model === undefined;
		const isOver = state.phase === 'ended' && this.around.now() - Date.parse(state.at) > LAST_WORDS_MS;
		if (isOver && !isFirst) return false;
		// An agent names the file. One that cannot be read says nothing, and keeps nobody else from being looked at.
		const isNew = await transcript.read().catch(() => this.isUnread(record));
		if (!this.isKeeping) return isNew;
		const address = { task: record.task, worker: record.name };
		for (const message of unproven(drivers, tasks.inState(address, 'delivered'))) {
			// The events that name the transcript are below the workspace. What was sealed at the delivery is not.
			if (message.transcript === transcript.file && transcript.shows(message))
				this.noteInContext(record, message.id);
		}
		return isNew;
	}

	/** Reads the transcript of a session that is over, for what the session has taken. Reads it once: nothing is added to it. */
	private async readEarlier(record: WorkerRecord, view: SessionView): Promise<boolean> {
		if (this.readOnce.has(view)) return false;
		this.readOnce.add(view);
		this.findTranscript(record, view);
		const failed = () => {
			this.readOnce.delete(view);
			return this.isUnread(record);
		};
		return (await view.transcript?.read().catch(failed)) ?? false;
	}

	private isUnread({ task }: WorkerRecord): false {
		this.unread.add(task);
		return false;
	}

	/** Some CLIs name it in few of their events, and their hook programs find it all the same. */
	private findTranscript(record: WorkerRecord, view: SessionView): void {
		if (view.transcript) return;
		const session = record.sessions.find(({ id }) => id === view.session);
		view.readFrom(session?.transcript, record.agent);
	}

	private noteInContext({ task, name }: WorkerRecord, id: MessageId): void {
		const inContextAt = new Date(this.around.now()).toISOString();
		this.around.workspace.mailbox({ task, worker: name }).noteInContext(id, inContextAt);
	}

	/**
	 * Deliveries of a turn that is over by now: proven, or queued again. Each further turn may prove more of them.
	 * @param stillOpen gets what is known of those that stay unproven
	 */
	private async settle(
		record: WorkerRecord,
		view: SessionView | undefined,
		state: WorkerState,
		stillOpen: Map<MessageId, LookUps>,
	): Promise<void> {
		const { tasks, workspace, drivers, now } = this.around;
		const turnOverAt = view?.facts?.turnOverAt;
		const isOver = ({ session, deliveredAt }: Receipt) => {
			if (state.source === PROCESS_GONE) return true;
			if (!isSettled(deliveredAt, now())) return false;
			if (state.phase === 'ended' && isSettled(state.at, now())) return true;
			if (session !== (view?.session ?? record.sessions.at(-1)?.id)) return true;
			return turnOverAt !== undefined && turnOverAt > deliveredAt && isSettled(turnOverAt, now());
		};
		const address = { task: record.task, worker: record.name };
		const delivered = unproven(drivers, tasks.inState(address, 'delivered'));
		const over: Unproven[] = [];
		for (const each of delivered.filter(({ receipt }) => hasRecord(drivers, receipt))) {
			const { deliveredAt } = each.receipt;
			const earlier = this.lookedUp.get(each.id);
			const known = earlier?.deliveredAt === deliveredAt ? earlier : undefined;
			if (known) stillOpen.set(each.id, known);
			const isDue = !known || (known.turnOverAt !== turnOverAt && known.count < MOST_LOOK_UPS);
			if (isDue && isOver(each.receipt)) over.push(each);
		}
		if (over.length === 0) return;
		const { proven } = await settleDeliveries(workspace, drivers, address, over);
		for (const id of proven) this.noteInContext(record, id);
		for (const { id, receipt } of over) {
			const count = (stillOpen.get(id)?.count ?? 0) + 1;
			stillOpen.set(id, { deliveredAt: receipt.deliveredAt, turnOverAt, count });
		}
	}
}

function hasRecord(drivers: readonly Driver[], { driver }: Receipt): boolean {
	return transcriptIn(drivers, driver) !== 'none';
}
