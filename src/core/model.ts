import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorText, hasErrno } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { liveness, type Liveness, type ProcessIdentity } from '../base/liveness.ts';
import { ORCHESTRATOR, SessionId, TaskName, WorkerName, type DriverId } from '../protocol/names.ts';
import type { TaskRecord, WorkerRecord } from '../protocol/records.ts';
import { AttentionTracker, type Attention } from './attention.ts';
import type { Driver } from './driver.ts';
import { folderByState, type MailboxListing, type MessageState } from './mailbox.ts';
import type { Overview, WorkerState, WorkerView } from './overview.ts';
import { Prober, type Ask } from './prober.ts';
import { SessionView, type SessionTraffic } from './sessionView.ts';
import { Collector, type CollectorOptions } from './traffic/collector.ts';
import { Upkeep } from './upkeep.ts';
import { watch } from './watch.ts';
import { concludeState, startingState, type SessionState } from './workerState.ts';
import type { FileProblem, WorkerAddress, Workspace } from './workspace.ts';

export interface ModelOptions {
	ask?: Ask;
	isAlive?: (process: ProcessIdentity) => Liveness;
	now?: () => number;
	/** How often to look at processes, transcripts and what a notification may have missed. Default 1,000 ms. */
	tickMs?: number;
	collector?: CollectorOptions;
	/** Only looks, live: collects nothing, rings no bell, writes nothing. For workspaces that are not trusted. */
	readOnly?: boolean;
	/** Only what is on disk now: no watching, no reminding, nothing written but collected events. */
	once?: boolean;
}

/** At most one change is announced in this time; the first at once. */
const ANNOUNCE_MS = 50;

/** An agent that has reported nothing for so long may have been interrupted. */
const DOUBT_MS = 2500;

/** A worker's start is newer than its session's last event by more than this: the events are of an earlier run. */
const RESTART_MS = 2000;

/** Sessions whose traffic is kept in memory beside those of the workers. */
const MOST_SESSIONS = 60;

/** How long a process found alive is taken to be, in milliseconds. */
const ALIVE_MS = 500;

/** Stands for the whole folder among the folders that changed. */
const EVERYTHING = '*';

const STATES = ['queued', 'claimed', 'delivered', 'archived', 'withdrawn'] as const satisfies readonly MessageState[];

interface Task {
	record: TaskRecord;
	workers: WorkerRecord[];
	problems: FileProblem[];
}

/**
 * One workspace folder, live and in memory. It only mirrors the files: a second window, or this one after a reload, comes to the
 * same. At each change it reads what changed and nothing else.
 */
export class WorkspaceModel implements Disposable {
	private readonly owned = new DisposableStore();
	private readonly changed = this.owned.add(new Emitter<void>());
	readonly onDidChange: Event<void> = this.changed.event;
	readonly onDidNeedAttention: Event<Attention>;
	readonly onDidResolveAttention: Event<Attention>;

	private readonly collector: Collector;
	private readonly prober: Prober;
	private readonly upkeep: Upkeep;
	private readonly attention: AttentionTracker;
	private readonly isAlive: (process: ProcessIdentity) => Liveness;
	private readonly now: () => number;

	private tasks = new Map<TaskName, Task>();
	private taskProblems: FileProblem[] = [];
	private readonly mailboxes = new Map<string, Map<MessageState, MailboxListing>>();
	private readonly sessionViews = new Map<SessionId, SessionView>();
	/** Sizes of traffic files when last looked at. */
	private readonly sizes = new Map<SessionId, number>();
	private readonly processes = new Map<string, { liveness: Liveness; at: string; checkedMs: number }>();
	private failure: FileProblem | undefined;

	private known: Overview | undefined;
	private isCollector = false;
	private readonly dirty = new Set<string>();
	private working: Promise<void> | undefined;
	private isLooking = false;
	private reading: Promise<void> = Promise.resolve();
	private announceTimer: NodeJS.Timeout | undefined;
	private announcedMs = 0;
	private isReady = false;

	constructor(
		readonly workspace: Workspace,
		private readonly drivers: readonly Driver[],
		private readonly options: ModelOptions = {},
	) {
		this.now = options.now ?? Date.now;
		this.isAlive = options.isAlive ?? liveness;
		this.collector = new Collector(workspace, drivers, options.collector);
		this.owned.add(this.collector);
		this.prober = new Prober(options.ask ?? (() => Promise.resolve(new Map())), this.now);
		this.upkeep = new Upkeep(workspace, this.now);
		this.attention = this.owned.add(new AttentionTracker(this.now()));
		this.onDidNeedAttention = this.attention.onDidNeed;
		this.onDidResolveAttention = this.attention.onDidResolve;
		if (options.once) return;
		const { root, bells, originals } = workspace.paths;
		const ignored = new Set([bells, originals, join(workspace.paths.spool, 'rejected'), join(root, 'delegates')]);
		this.owned.add(
			watch(root, folders => this.touch(folders), {
				ignore: folder => ignored.has(folder),
				onReady: () => this.touch([EVERYTHING]),
			}),
		);
		const tick = setInterval(() => this.tick(), options.tickMs ?? 1000);
		tick.unref();
		this.owned.add({ dispose: () => clearInterval(tick) });
	}

	dispose(): void {
		clearTimeout(this.announceTimer);
		this.owned.dispose();
	}

	/** Ends, and lets another window collect; resolves when the lock is given back. */
	async close(): Promise<void> {
		this.dispose();
		await this.working;
		await this.reading;
		await this.collector.close();
	}

	overview(): Overview {
		this.known ??= this.compute();
		return this.known;
	}

	/** A worker's mailbox, or the human's own (`orchestrator`), as last read. */
	messages(address: WorkerAddress): MailboxListing {
		const byState = this.mailboxes.get(keyOf(address));
		const listings = STATES.flatMap(state => byState?.get(state) ?? []);
		const messages = listings.flatMap(listing => listing.messages);
		const others = messages.filter(message => message.state !== 'queued').sort((a, b) => (a.id < b.id ? 1 : -1));
		return {
			messages: [...messages.filter(message => message.state === 'queued'), ...others],
			problems: listings.flatMap(listing => listing.problems),
		};
	}

	/** Every session with traffic in memory, newest first. */
	sessions(): readonly SessionTraffic[] {
		const views = [...this.sessionViews.values()].filter(view => view.lastAt !== '');
		return views.map(view => view.traffic).sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
	}

	get problems(): readonly FileProblem[] {
		return this.overview().problems;
	}

	/** Looks at the whole folder now, for what this window itself has just changed. */
	async refresh(): Promise<void> {
		// What is under way may have looked already.
		await this.working;
		this.touch([EVERYTHING]);
		await this.working;
		if (this.options.once) await this.lookAround();
	}

	private touch(folders: Iterable<string>): void {
		if (this.owned.isDisposed) return;
		for (const folder of folders) this.dirty.add(folder);
		if (this.dirty.size === 0) return;
		this.working ??= this.work().finally(() => {
			this.working = undefined;
			this.touch([]); // what was touched after the last look at what is dirty
		});
	}

	/** Reads what changed until nothing is left; one at a time. */
	private async work(): Promise<void> {
		await Promise.resolve(); // so that `working` is set before it is done
		while (this.dirty.size > 0 && !this.owned.isDisposed) {
			const folders = [...this.dirty];
			this.dirty.clear();
			try {
				const isChanged = await this.readChanged(folders);
				if (this.failure) this.failure = undefined;
				if (isChanged || !this.isReady) this.conclude();
				this.isReady = true;
			} catch (error) {
				this.failure = { file: this.workspace.paths.root, reason: errorText(error) };
				this.announce();
			}
		}
	}

	private async readChanged(folders: readonly string[]): Promise<boolean> {
		const { paths } = this.workspace;
		if (folders.includes(EVERYTHING)) {
			await this.collect();
			await this.readTasks();
			await this.readTraffic();
			return true;
		}
		let isChanged = false;
		if (folders.includes(paths.spool)) isChanged = await this.collect();
		if (folders.includes(paths.tasks)) {
			await this.readTasks();
			return true;
		}
		for (const folder of folders) {
			const segments = relative(paths.tasks, folder).split(sep);
			if (folder === EVERYTHING || segments[0] === '..' || segments[0] === '') continue;
			await this.readTaskFolder(segments);
			isChanged = true;
		}
		if (folders.includes(paths.traffic) || folders.includes(paths.sessions))
			isChanged = (await this.readTraffic()) || isChanged;
		return isChanged;
	}

	private async collect(): Promise<boolean> {
		// The collector's lock would make the folder: a workspace that Nancy was never used in stays as it is.
		if (this.options.readOnly || !(await stat(this.workspace.paths.root).catch(() => undefined))) return false;
		const problems = this.collector.problems.length;
		const { isCollector, sessions } = await this.collector.collect();
		this.isCollector = isCollector;
		for (const session of sessions) await this.follow(session);
		return sessions.length > 0 || problems !== this.collector.problems.length;
	}

	private async readTasks(): Promise<void> {
		const { tasks, problems } = await this.workspace.tasks();
		this.taskProblems = problems;
		const before = this.tasks;
		this.tasks = new Map();
		for (const record of tasks) {
			const known = before.get(record.name);
			this.tasks.set(record.name, { record, workers: known?.workers ?? [], problems: known?.problems ?? [] });
			await this.readWorkers(record.name);
			await this.readMailboxes(record.name);
		}
		for (const name of before.keys()) {
			if (this.tasks.has(name)) continue;
			for (const key of this.mailboxes.keys()) if (key.startsWith(`${name}/`)) this.mailboxes.delete(key);
		}
	}

	/** @param segments the folder below `tasks/` */
	private async readTaskFolder([taskName, room, worker, state]: readonly string[]): Promise<void> {
		const name = TaskName.safeParse(taskName);
		if (!name.success) return;
		const task = this.tasks.get(name.data);
		if (!task || room === undefined) return this.readTasks();
		if (room === 'workers') {
			await this.readWorkers(name.data);
			return this.readMissingMailboxes(name.data);
		}
		const mailbox = WorkerName.safeParse(worker);
		if (room !== 'comms' || !mailbox.success) return this.readMailboxes(name.data);
		const states = STATES.filter(each => state === undefined || folderByState[each] === state);
		if (states.length > 0) await this.readMailbox({ task: name.data, worker: mailbox.data }, states);
	}

	private async readWorkers(name: TaskName): Promise<void> {
		const task = this.tasks.get(name);
		if (!task) return;
		({ workers: task.workers, problems: task.problems } = await this.workspace.workers(name));
		for (const worker of task.workers) {
			const session = worker.sessions.at(-1)?.id;
			if (session !== undefined && !this.sessionViews.has(session)) await this.follow(session);
		}
	}

	private async readMailboxes(task: TaskName): Promise<void> {
		for (const worker of this.mailboxNames(task)) await this.readMailbox({ task, worker }, STATES);
	}

	private async readMissingMailboxes(task: TaskName): Promise<void> {
		for (const worker of this.mailboxNames(task)) {
			if (!this.mailboxes.has(keyOf({ task, worker }))) await this.readMailbox({ task, worker }, STATES);
		}
	}

	private mailboxNames(task: TaskName): WorkerName[] {
		return [ORCHESTRATOR, ...(this.tasks.get(task)?.workers.map(worker => worker.name) ?? [])];
	}

	private async readMailbox(address: WorkerAddress, states: readonly MessageState[]): Promise<void> {
		const byState = this.mailboxes.get(keyOf(address)) ?? new Map<MessageState, MailboxListing>();
		for (const state of states) {
			byState.set(
				state,
				await this.workspace
					.mailbox(address)
					.list([state])
					.catch((error: unknown) => brokenMailbox(address, error)),
			);
		}
		this.mailboxes.set(keyOf(address), byState);
	}

	/** Follows every session that grew; at the start, those that grew last. */
	private async readTraffic(): Promise<boolean> {
		let isChanged = false;
		const files = [];
		for (const name of await readdir(this.workspace.paths.traffic).catch(emptyIfMissing)) {
			const session = SessionId.safeParse(name.slice(0, -'.jsonl'.length));
			if (!name.endsWith('.jsonl') || !session.success) continue;
			const found = await stat(join(this.workspace.paths.traffic, name)).catch(() => undefined);
			if (found) files.push({ session: session.data, size: found.size, mtimeMs: found.mtimeMs });
		}
		files.sort((a, b) => b.mtimeMs - a.mtimeMs);
		for (const { session, size } of files) {
			const isSame = this.sizes.get(session) === size;
			this.sizes.set(session, size);
			const isLeftOut =
				!this.isReady && !this.sessionViews.has(session) && this.sessionViews.size >= MOST_SESSIONS;
			if (isSame || isLeftOut) continue;
			isChanged = (await this.follow(session)) || isChanged;
		}
		return isChanged;
	}

	private async follow(session: SessionId): Promise<boolean> {
		const view = this.sessionViews.get(session) ?? new SessionView(this.workspace.paths, session, this.drivers);
		this.sessionViews.set(session, view);
		const isChanged = await view.follow();
		const address = (await this.workspace.sessionBinding(session))?.address ?? view.address;
		const isRebound =
			address !== undefined && (view.address === undefined || keyOf(address) !== keyOf(view.address));
		if (isRebound) view.address = address;
		if (isChanged && view.address) {
			const driver = this.worker(view.address)?.agent;
			if (driver !== undefined) this.prober.wake(driver);
			if (!this.worker(view.address)) this.touch([this.workspace.paths.tasks]);
		}
		return isChanged || isRebound;
	}

	private worker({ task, worker }: WorkerAddress): WorkerRecord | undefined {
		return this.tasks.get(task)?.workers.find(record => record.name === worker);
	}

	/** The session that tells what a worker is doing: the one with the newest event. */
	private currentView(record: WorkerRecord): SessionView | undefined {
		const own = new Set(record.sessions.map(session => session.id));
		let newest: SessionView | undefined;
		for (const view of this.sessionViews.values()) {
			const isOwn =
				own.has(view.session) ||
				(view.address && view.address.task === record.task && view.address.worker === record.name);
			if (isOwn && view.state && (!newest?.state || view.state.at >= newest.state.at)) newest = view;
		}
		return newest;
	}

	private stateOf(record: WorkerRecord): { state: WorkerState; view: SessionView | undefined; folded: SessionState } {
		const view = this.currentView(record);
		const session = view?.session ?? record.sessions.at(-1)?.id;
		const fresh = startingState(record.startedAt, record.sessions.at(-1)?.id);
		const isRestarted = view?.state && Date.parse(record.startedAt) - Date.parse(view.state.at) > RESTART_MS;
		const folded = view?.state && !isRestarted ? view.state : fresh;
		const state = concludeState(folded, {
			process: this.processEvidence(record),
			stoppedAt: record.stoppedAt,
			probe: session === undefined ? undefined : this.prober.probe(session),
			interruptedAt: view?.facts?.interruptedAt,
		});
		return { state, view, folded };
	}

	private processEvidence(record: WorkerRecord): { liveness: Liveness; at: string } | undefined {
		if (!record.process) return undefined;
		const key = `${record.process.pid}/${record.process.startedTicks}`;
		const known = this.processes.get(key);
		if (known && (known.liveness === 'dead' || this.now() - known.checkedMs < ALIVE_MS)) return known;
		const found = {
			liveness: this.isAlive(record.process),
			at: new Date(this.now()).toISOString(),
			checkedMs: this.now(),
		};
		this.processes.set(key, found);
		return found;
	}

	private compute(): Overview {
		const problems = [...this.taskProblems, ...this.collector.problems, ...(this.failure ? [this.failure] : [])];
		const tasks = [...this.tasks.values()].map(task => {
			problems.push(...task.problems);
			const workers = task.workers.map(record => this.viewOf(record));
			for (const worker of this.mailboxNames(task.record.name)) {
				problems.push(...this.messages({ task: task.record.name, worker }).problems);
			}
			return {
				record: task.record,
				workers,
				unread: this.queued({ task: task.record.name, worker: ORCHESTRATOR }).length,
			};
		});
		return { tasks, problems };
	}

	private viewOf(record: WorkerRecord): WorkerView {
		const { state, view } = this.stateOf(record);
		const queued = this.queued({ task: record.task, worker: record.name }).length;
		return { record, state, queued, ...(view?.facts && { facts: view.facts }) };
	}

	private queued(address: WorkerAddress) {
		return this.mailboxes.get(keyOf(address))?.get('queued')?.messages ?? [];
	}

	/** After something changed: what it means for the human, and for whoever shows it. */
	private conclude(): void {
		this.known = undefined;
		const addresses: WorkerAddress[] = [];
		for (const task of this.tasks.values()) {
			for (const record of task.workers) {
				const { state, folded } = this.stateOf(record);
				const address = { task: record.task, worker: record.name };
				addresses.push(address);
				this.attention.see(address, state, folded.stops);
			}
			const { name } = task.record;
			this.attention.seeMailbox(name, this.messages({ task: name, worker: ORCHESTRATOR }), !this.isReady);
		}
		this.attention.keepOnly(addresses);
		this.announce();
	}

	private announce(): void {
		this.known = undefined;
		if (this.announceTimer) return;
		const waitMs = this.announcedMs + ANNOUNCE_MS - Date.now();
		const fire = () => {
			this.announceTimer = undefined;
			this.announcedMs = Date.now();
			if (!this.owned.isDisposed) this.changed.fire();
		};
		if (waitMs <= 0) fire();
		else this.announceTimer = setTimeout(fire, waitMs);
	}

	private tick(): void {
		if (!this.isReady || this.owned.isDisposed) return;
		const { spool, traffic } = this.workspace.paths;
		this.touch(this.isCollector ? [spool] : [spool, traffic]);
		// A slow transcript or a CLI that does not answer must not hold up the next tick, or the events.
		if (this.isLooking) return;
		this.isLooking = true;
		this.reading = this.lookAround()
			.catch((error: unknown) => {
				this.failure = { file: this.workspace.paths.root, reason: errorText(error) };
			})
			.finally(() => (this.isLooking = false));
	}

	/** What no notification tells: processes, transcripts, the agents' own status; and what follows from it. */
	private async lookAround(): Promise<void> {
		if (this.owned.isDisposed) return;
		const before = this.whatIsSeen();
		const doubtful = new Map<DriverId, SessionId[]>();
		for (const task of this.tasks.values()) {
			for (const record of task.workers) {
				const { state, view } = this.stateOf(record);
				await this.readTranscript(record, view, state);
				const isActive = state.phase === 'working' || state.phase === 'waiting' || state.phase === 'starting';
				const isInDoubt = isActive && this.now() - Date.parse(view?.state?.at ?? record.startedAt) > DOUBT_MS;
				const session = view?.session ?? record.sessions.at(-1)?.id;
				if (isInDoubt && session !== undefined)
					doubtful.set(record.agent, [...(doubtful.get(record.agent) ?? []), session]);
				if (this.isKeeper) await this.tend(record, state);
			}
		}
		for (const driver of this.drivers) await this.prober.look(driver, doubtful.get(driver.id) ?? []);
		this.known = undefined;
		const after = this.whatIsSeen();
		if (before.length !== after.length || before.some((part, index) => part !== after[index])) this.conclude();
	}

	/** What may change without an event, to compare. */
	private whatIsSeen(): unknown[] {
		const workers = this.overview().tasks.flatMap(task => task.workers);
		return workers.flatMap(({ state, facts }) => [
			state.phase,
			state.source,
			state.at,
			state.tool,
			state.summary,
			facts,
		]);
	}

	/** One window at a time keeps the mailboxes: the one that collects. */
	private get isKeeper(): boolean {
		return this.isCollector && !this.options.once;
	}

	private async tend(record: WorkerRecord, state: WorkerState): Promise<void> {
		const address = { task: record.task, worker: record.name };
		await this.upkeep.tend(address, state, this.queued(address)).catch((error: unknown) => {
			// A full disk or a vanished task: the next tick tries again.
			this.failure = { file: this.workspace.paths.mailbox(record.task, record.name), reason: errorText(error) };
		});
	}

	private async readTranscript(
		record: WorkerRecord,
		view: SessionView | undefined,
		state: WorkerState,
	): Promise<void> {
		const transcript = view?.transcript;
		if (!view || !transcript) return;
		const isFirst = transcript.facts.lastReply === undefined && transcript.facts.model === undefined;
		if (state.phase === 'ended' && !isFirst) return;
		await transcript.read();
		if (!this.isKeeper) return;
		const address = { task: record.task, worker: record.name };
		for (const { id, receipt } of this.mailboxes.get(keyOf(address))?.get('delivered')?.messages ?? []) {
			if (
				!receipt ||
				receipt.session !== view.session ||
				receipt.inContextAt !== undefined ||
				!transcript.shows(id)
			)
				continue;
			const inContextAt = new Date(this.now()).toISOString();
			await this.workspace.mailbox(address).updateReceipt(id, known => ({ ...known, inContextAt }));
		}
	}
}

/** What is on disk now, with the spool collected if nobody else does it. For commands: nothing goes on afterwards. */
export async function readOverview(workspace: Workspace, drivers: readonly Driver[], ask?: Ask): Promise<Overview> {
	const model = new WorkspaceModel(workspace, drivers, { once: true, ...(ask && { ask }) });
	try {
		await model.refresh();
		return model.overview();
	} finally {
		await model.close();
	}
}

function keyOf({ task, worker }: WorkerAddress): string {
	return `${task}/${worker}`;
}

function brokenMailbox(address: WorkerAddress, error: unknown): MailboxListing {
	return { messages: [], problems: [{ file: `${address.task}/${address.worker}`, reason: errorText(error) }] };
}

function emptyIfMissing(error: unknown): string[] {
	if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
	throw error;
}
