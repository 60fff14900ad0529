import { stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { errorText } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { liveness, type Liveness, type ProcessIdentity } from '../base/liveness.ts';
import { ORCHESTRATOR, type DriverId, type SessionId } from '../protocol/names.ts';
import type { WorkerRecord } from '../protocol/records.ts';
import { AttentionTracker, type Attention } from './attention.ts';
import { DelegateMirror } from './delegates/delegateMirror.ts';
import { Delegates, isFinal, type Delegate } from './delegates/delegates.ts';
import type { Driver } from './driver.ts';
import type { MailboxListing } from './mailboxFiles.ts';
import type { Overview, WorkerState, WorkerView } from './overview.ts';
import { Prober, type Ask } from './prober.ts';
import { ProcessLock } from './processLock.ts';
import { SessionMirror } from './sessionMirror.ts';
import type { SessionTraffic, SessionView } from './sessionView.ts';
import { TaskMirror } from './taskMirror.ts';
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
	/** Called by one window at a time, every few seconds while a delegate waits, runs or has not been reported. */
	lookAtQueue?: (delegates: Delegates) => Promise<void>;
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

/** How long a process found alive is taken to be, in milliseconds. */
const ALIVE_MS = 500;

/** A running delegate's status changes four times a second: all of them are read together, in milliseconds. */
const DELEGATES_MS = 250;

/** How often to look for the workers of a swarm, in milliseconds. */
const SWARM_MS = 2000;

/** How often delegates that wait or run are looked after, in milliseconds. */
const QUEUE_MS = 3000;

/** Stands for the whole folder among the folders that changed. */
const EVERYTHING = '*';

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

	private readonly tasks: TaskMirror;
	private readonly traffic: SessionMirror;
	private readonly store: Delegates;
	private readonly mirror: DelegateMirror;
	private delegatesTimer: NodeJS.Timeout | undefined;
	private delegatesReadMs = 0;
	private queueMs = 0;
	private tending: Promise<void> | undefined;
	private readonly processes = new Map<string, { liveness: Liveness; at: string; checkedMs: number }>();
	private failure: FileProblem | undefined;

	private known: Overview | undefined;
	private isCollector = false;
	/** One window at a time keeps the mailboxes, whoever collects: a command may do that for hours and keeps nothing. */
	private isKeeper = false;
	private readonly keeping: ProcessLock;
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
		this.tasks = new TaskMirror(workspace);
		this.store = new Delegates(workspace);
		this.mirror = new DelegateMirror(this.store, this.now);
		this.traffic = new SessionMirror(workspace, drivers, view => this.seeGrowth(view));
		this.collector = new Collector(workspace, drivers, options.collector);
		this.owned.add(this.collector);
		this.prober = new Prober(options.ask ?? (() => Promise.resolve(new Map())), this.now);
		this.upkeep = new Upkeep(workspace, this.now);
		this.keeping = new ProcessLock(workspace.paths.upkeepLock);
		this.attention = this.owned.add(new AttentionTracker(this.now()));
		this.onDidNeedAttention = this.attention.onDidNeed;
		this.onDidResolveAttention = this.attention.onDidResolve;
		if (options.once) return;
		const { root, bells, originals, delegates } = workspace.paths;
		const ignored = new Set([bells, originals, join(workspace.paths.spool, 'rejected')]);
		this.owned.add(
			watch(root, folders => this.touch(this.withoutHaste(folders)), {
				// What lies below is a lock that comes and goes.
				ignore: folder => ignored.has(folder) || dirname(folder) === delegates,
				onReady: () => this.touch([EVERYTHING]),
			}),
		);
		const tick = setInterval(() => this.tick(), options.tickMs ?? 1000);
		tick.unref();
		this.owned.add({ dispose: () => clearInterval(tick) });
	}

	dispose(): void {
		clearTimeout(this.announceTimer);
		clearTimeout(this.delegatesTimer);
		this.owned.dispose();
		// What is under way may take the lock once more. One that cannot be given back is taken over when this process has ended.
		void this.reading.then(() => this.keeping.release()).catch(() => undefined);
	}

	/** Ends, and lets another window collect and keep; resolves when the locks are given back. */
	async close(): Promise<void> {
		this.dispose();
		await this.working;
		await this.reading;
		await this.tending;
		await this.collector.close();
		await this.keeping.release();
	}

	overview(): Overview {
		this.known ??= this.compute();
		return this.known;
	}

	/** A worker's mailbox, or the human's own (`orchestrator`), as last read. */
	messages(address: WorkerAddress): MailboxListing {
		return this.tasks.messages(address);
	}

	/** Every session with traffic in memory, newest first. */
	sessions(): readonly SessionTraffic[] {
		return this.traffic.traffic();
	}

	/** Oldest first. */
	delegates(): readonly Delegate[] {
		return this.mirror.all();
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

	/** Leaves the delegates' folder out where it was read a moment ago, and reads it in a moment. */
	private withoutHaste(folders: ReadonlySet<string>): Iterable<string> {
		const { delegates } = this.workspace.paths;
		const waitMs = this.delegatesReadMs + DELEGATES_MS - Date.now();
		if (!folders.has(delegates) || waitMs <= 0) return folders;
		this.delegatesTimer ??= setTimeout(() => this.touch([delegates]), waitMs);
		return [...folders].filter(folder => folder !== delegates);
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
		this.workspace.refuseLinks();
		const { paths } = this.workspace;
		if (folders.includes(EVERYTHING)) {
			await this.collect();
			await this.readTasks();
			await this.traffic.read();
			await this.readDelegates();
			return true;
		}
		let isChanged = false;
		if (folders.includes(paths.delegates)) isChanged = await this.readDelegates();
		if (folders.includes(paths.spool)) isChanged = (await this.collect()) || isChanged;
		if (folders.includes(paths.tasks)) {
			await this.readTasks();
			return true;
		}
		for (const folder of folders) {
			const segments = relative(paths.tasks, folder).split(sep);
			if (segments[0] === '..' || segments[0] === '') continue;
			await this.tasks.readFolder(segments);
			await this.followWorkers();
			isChanged = true;
		}
		if (folders.includes(paths.traffic) || folders.includes(paths.sessions))
			isChanged = (await this.traffic.read()) || isChanged;
		return isChanged;
	}

	private async collect(): Promise<boolean> {
		// The collector's lock would make the folder: a workspace that Nancy was never used in stays as it is.
		if (this.options.readOnly || !(await stat(this.workspace.paths.root).catch(() => undefined))) return false;
		const problems = this.collector.problems.length;
		const { isCollector, sessions } = await this.collector.collect();
		this.isCollector = isCollector;
		for (const session of sessions) await this.traffic.follow(session);
		return sessions.length > 0 || problems !== this.collector.problems.length;
	}

	private async readDelegates(): Promise<boolean> {
		clearTimeout(this.delegatesTimer);
		this.delegatesTimer = undefined;
		this.delegatesReadMs = Date.now();
		return this.mirror.read();
	}

	/** Nobody waits for it: a runner that is slow to start must not hold up what is shown. */
	private tendDelegates(): void {
		const { lookAtQueue } = this.options;
		const isTime = this.now() - this.queueMs >= QUEUE_MS;
		if (!lookAtQueue || !this.isKeeper || this.tending || !isTime || !this.mirror.hasUnsettled()) return;
		this.queueMs = this.now();
		this.tending = lookAtQueue(this.store)
			.catch((error: unknown) => {
				this.failure = { file: this.workspace.paths.delegates, reason: errorText(error) };
			})
			.finally(() => (this.tending = undefined));
	}

	private async readTasks(): Promise<void> {
		await this.tasks.readAll();
		await this.followWorkers();
	}

	/** The sessions of workers count, however long ago they last said something. */
	private async followWorkers(): Promise<void> {
		for (const worker of this.tasks.workers()) {
			const session = worker.sessions.at(-1)?.id;
			if (session !== undefined && !this.traffic.has(session)) await this.traffic.follow(session);
		}
	}

	private seeGrowth({ address }: SessionView): void {
		if (!address) return;
		const worker = this.tasks.worker(address);
		if (worker) this.prober.wake(worker.agent);
		else this.touch([this.workspace.paths.tasks]);
	}

	private stateOf(record: WorkerRecord): { state: WorkerState; view: SessionView | undefined; folded: SessionState } {
		const view = this.traffic.current(record);
		const session = view?.session ?? record.sessions.at(-1)?.id;
		const fresh = startingState(record.startedAt, record.sessions.at(-1)?.id);
		const isRestarted = view?.state && Date.parse(record.startedAt) - Date.parse(view.state.at) > RESTART_MS;
		const folded = view?.state && !isRestarted ? view.state : fresh;
		const state = concludeState(folded, {
			process: this.processEvidence(record) ?? this.endOfDelegate(record),
			stoppedAt: record.stoppedAt,
			probe: session === undefined ? undefined : this.prober.probe(session),
			interruptedAt: view?.facts?.interruptedAt,
			hooks: record.hooks,
		});
		return { state, view, folded };
	}

	/** One that ended before its agent was started never had a process to be found gone. */
	private endOfDelegate({ delegate: id }: WorkerRecord): { liveness: Liveness; at: string } | undefined {
		const delegate = id === undefined ? undefined : this.mirror.find(id);
		if (!delegate || !isFinal(delegate.state)) return undefined;
		return { liveness: 'dead', at: delegate.status.ended_at ?? delegate.record.createdAt };
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
		const failures = this.failure ? [this.failure] : [];
		const tasks = this.tasks.all().map(({ record, workers }) => ({
			record,
			workers: workers.map(worker => this.viewOf(worker)),
			unread: this.tasks.inState({ task: record.name, worker: ORCHESTRATOR }, 'queued').length,
		}));
		const problems = [...this.tasks.problems(), ...this.mirror.problems(), ...this.collector.problems, ...failures];
		return { tasks, problems };
	}

	private viewOf(record: WorkerRecord): WorkerView {
		const { state, view } = this.stateOf(record);
		const queued = this.tasks.inState({ task: record.task, worker: record.name }, 'queued').length;
		return { record, state, queued, ...(view?.facts && { facts: view.facts }) };
	}

	/** After something changed: what it means for the human, and for whoever shows it. */
	private conclude(): void {
		this.known = undefined;
		const addresses: WorkerAddress[] = [];
		for (const task of this.tasks.all()) {
			for (const record of task.workers) {
				const { state, folded } = this.stateOf(record);
				const address = { task: record.task, worker: record.name };
				addresses.push(address);
				// That a delegate has ended is told below, and better.
				if (record.delegate === undefined) this.attention.see(address, state, folded.stops);
			}
			const { name } = task.record;
			this.attention.seeMailbox(name, this.messages({ task: name, worker: ORCHESTRATOR }), !this.isReady);
		}
		this.attention.keepOnly(addresses);
		this.attention.seeDelegates(this.mirror.all(), !this.isReady);
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
		const { spool, traffic, delegates } = this.workspace.paths;
		this.touch(this.isCollector ? [spool] : [spool, traffic]);
		// Nothing tells of a swarm's files.
		if (Date.now() - this.delegatesReadMs > SWARM_MS) this.touch([delegates]);
		this.tendDelegates();
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
		this.isKeeper = await this.mayKeep();
		const before = this.whatIsSeen();
		const doubtful = new Map<DriverId, SessionId[]>();
		for (const record of this.tasks.workers()) {
			const { state, view } = this.stateOf(record);
			await this.readTranscript(record, view, state);
			const isActive = state.phase === 'working' || state.phase === 'waiting' || state.phase === 'starting';
			const isInDoubt = isActive && this.now() - Date.parse(view?.state?.at ?? record.startedAt) > DOUBT_MS;
			const session = view?.session ?? record.sessions.at(-1)?.id;
			if (isInDoubt && session !== undefined)
				doubtful.set(record.agent, [...(doubtful.get(record.agent) ?? []), session]);
			if (this.isKeeper) await this.tend(record, state);
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

	private async mayKeep(): Promise<boolean> {
		// The lock would make the folder of a workspace that Nancy was never used in.
		if (this.options.readOnly || this.options.once || this.tasks.all().length === 0) return false;
		// On a full disk nothing can be kept; the next tick tries again.
		const mayKeep = await this.keeping.hold().catch(() => false);
		if (mayKeep && !this.isKeeper) await this.workspace.sweep().catch(() => undefined);
		return mayKeep;
	}

	private async tend(record: WorkerRecord, state: WorkerState): Promise<void> {
		const address = { task: record.task, worker: record.name };
		const queued = this.tasks.inState(address, 'queued');
		await this.upkeep.tend(address, state, queued, record.hooks === undefined).catch((error: unknown) => {
			// A full disk or a vanished task: the next tick tries again.
			this.failure = { file: this.workspace.paths.mailbox(record.task, record.name), reason: errorText(error) };
		});
	}

	private async readTranscript(
		record: WorkerRecord,
		view: SessionView | undefined,
		state: WorkerState,
	): Promise<void> {
		if (!view) return;
		const known = record.sessions.find(({ id }) => id === view.session);
		if (!view.transcript) view.readFrom(known?.transcript, record.agent);
		const { transcript } = view;
		if (!transcript) return;
		const isFirst = transcript.facts.lastReply === undefined && transcript.facts.model === undefined;
		if (state.phase === 'ended' && !isFirst) return;
		await transcript.read();
		if (!this.isKeeper) return;
		const address = { task: record.task, worker: record.name };
		for (const { id, receipt } of this.tasks.inState(address, 'delivered')) {
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
