import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Emitter, type Event } from '../../base/event.ts';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import { liveness, type Liveness, type ProcessIdentity } from '../../base/liveness.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { AttentionTracker, type Attention } from './attention.ts';
import { Announcer } from './announcer.ts';
import { BudgetMirror } from './budgetMirror.ts';
import { ChangedFolders } from './changedFolders.ts';
import type { Delegate } from '../delegates/delegate.ts';
import type { Delegates } from '../delegates/delegates.ts';
import type { Tickets } from '../delegates/tickets.ts';
import type { Driver } from '../driver/driver.ts';
import { driverIn } from '../driver/driverIn.ts';
import { fileProblem } from '../files/fileProblem.ts';
import { EVERYTHING, FolderReader } from './folderReader.ts';
import { LiveDelegates } from './liveDelegates.ts';
import { Lookout } from './lookout.ts';
import type { MailboxListing } from '../mailbox/mailboxFiles.ts';
import type { Overview } from './overview.ts';
import { Overviews } from './overviews.ts';
import { Prober, type Ask } from './prober.ts';
import { SessionMirror } from './sessionMirror.ts';
import type { SessionTraffic, SessionView } from './sessionView.ts';
import { TaskMirror } from './taskMirror.ts';
import { Collector, type CollectorOptions } from './collector.ts';
import { watch } from './watch.ts';
import { ifOwn } from '../files/ownFolder.ts';
import { TaskWorktrees } from '../worktrees/taskWorktrees.ts';
import { WorkerStates } from './workerStates.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

export interface ModelOptions {
	ask?: Ask;
	isAlive?: (process: ProcessIdentity) => Liveness;
	now?: () => number;
	/** How often to look at processes, transcripts and missed notifications, in milliseconds. Default 1,000. */
	tickMs?: number;
	collector?: CollectorOptions;
	/** Without them the files of delegates are taken at their word. */
	tickets?: Tickets;
	/** Called every few seconds while a delegate waits, runs or has not been reported; by several windows at once. */
	lookAtQueue?: (delegates: Delegates) => Promise<void>;
	/** Only looks, live: collects nothing, rings no bell, writes nothing. For workspaces that are not trusted. */
	readOnly?: boolean;
	/**
	 * Only the present content of the disk: no watching and no reminding. Events are collected and mailboxes kept once, if nobody else does
	 * it.
	 */
	once?: boolean;
}

/**
 * One workspace folder, live and in memory. It only mirrors the files: a second window, or this one after a reload, comes to the same
 * state. At each change it reads the changed files and nothing else.
 */
export class WorkspaceModel implements Disposable {
	private readonly owned = new DisposableStore();
	private readonly changed = this.owned.add(new Emitter<void>());
	readonly onDidChange: Event<void> = this.changed.event;
	readonly onDidNeedAttention: Event<Attention>;
	readonly onDidResolveAttention: Event<Attention>;

	private readonly collector: Collector;
	private readonly prober: Prober;
	private readonly attention: AttentionTracker;

	private readonly tasks: TaskMirror;
	private readonly traffic: SessionMirror;
	private readonly liveDelegates: LiveDelegates;
	private readonly states: WorkerStates;
	private readonly overviews: Overviews;
	private readonly lookout: Lookout;
	private readonly reader: FolderReader;
	private readonly folders = this.owned.add(new ChangedFolders(folders => this.read(folders)));
	private readonly announcer = this.owned.add(new Announcer(() => this.changed.fire()));

	private isLooking = false;
	private reading: Promise<void> = Promise.resolve();
	private released: Promise<void> | undefined;
	private isReady = false;
	/** A reading has failed, and nothing tells of its folders again. */
	private isBehind = false;

	constructor(
		readonly workspace: Workspace,
		drivers: readonly Driver[],
		private readonly options: ModelOptions = {},
	) {
		const now = options.now ?? Date.now;
		this.tasks = new TaskMirror(workspace);
		this.traffic = new SessionMirror(workspace, drivers, view => this.seeGrowth(view));
		this.collector = this.owned.add(new Collector(workspace, drivers, options.collector));
		this.prober = new Prober(options.ask ?? (() => Promise.resolve(new Map())), now);
		this.liveDelegates = this.owned.add(
			new LiveDelegates(workspace, {
				now,
				tickets: options.tickets,
				lookAtQueue: options.readOnly ? undefined : options.lookAtQueue,
				touch: () => this.folders.touch([workspace.paths.delegates]),
				fail: error => this.fail(workspace.paths.delegates, error),
			}),
		);
		this.reader = new FolderReader({
			workspace,
			tasks: this.tasks,
			traffic: this.traffic,
			delegates: this.liveDelegates,
			collector: this.collector,
			mayCollect: !options.readOnly,
			onMore: () => this.folders.touch([workspace.paths.spool]),
		});
		const budgets = new BudgetMirror(workspace);
		const worktrees = new TaskWorktrees(workspace.own);
		this.states = new WorkerStates({
			isOnFile: (agent, tool) => driverIn(drivers, agent)?.eventWords.files.includes(tool) === true,
			worktreeOf: record => ifOwn(() => worktrees.ofWorkerSync(record)),
			budgets,
			tasks: this.tasks,
			traffic: this.traffic,
			delegates: this.liveDelegates,
			prober: this.prober,
			isAlive: options.isAlive ?? liveness,
			now,
		});
		this.overviews = new Overviews({
			workspace,
			tasks: this.tasks,
			states: this.states,
			budgets,
			delegates: this.liveDelegates,
			collector: this.collector,
		});
		this.lookout = new Lookout({
			workspace,
			drivers,
			tasks: this.tasks,
			states: this.states,
			prober: this.prober,
			budgets,
			now,
			isReadOnly: options.readOnly ?? false,
			once: options.once ?? false,
			fail: (file, error) => this.fail(file, error),
		});
		this.attention = this.owned.add(new AttentionTracker(now));
		this.onDidNeedAttention = this.attention.onDidNeed;
		this.onDidResolveAttention = this.attention.onDidResolve;
		if (!options.once) this.follow();
	}

	dispose(): void {
		this.owned.dispose();
		// Work under way may take the lock once more. A lock that cannot be given back is taken over after this process's end.
		this.released ??= this.reading.then(() => this.lookout.release()).catch(() => undefined);
	}

	/** Ends, and lets another window collect and keep; resolves when the locks are given back. */
	async close(): Promise<void> {
		this.dispose();
		await this.folders.settled();
		await this.released;
		await this.liveDelegates.close();
		await this.collector.close();
	}

	overview(): Overview {
		return this.overviews.present();
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
		return this.liveDelegates.all();
	}

	/** Looks at the whole folder now, after this window's own changes. */
	async refresh(): Promise<void> {
		// Work under way may have looked already.
		await this.folders.settled();
		this.folders.touch([EVERYTHING]);
		await this.folders.settled();
		if (this.options.once) await this.lookAround();
		await this.folders.settled();
	}

	/** Looks at every change from now on, and at what changes without a notification. */
	private follow(): void {
		const { root, bells, originals, spool, machines } = this.workspace.paths;
		const ignored = new Set([bells, originals, machines]);
		this.owned.add(
			watch(root, folders => this.folders.touch(this.liveDelegates.withoutHaste(folders)), {
				// Locks come and go. The spool has thousands of files and no folder of interest.
				ignore: folder => ignored.has(folder) || folder.endsWith('.lock') || dirname(folder) === spool,
				onReady: () => this.folders.touch([EVERYTHING]),
			}),
		);
		const tick = setInterval(() => this.tick(), this.options.tickMs ?? 1000);
		tick.unref();
		this.owned.add({ dispose: () => clearInterval(tick) });
	}

	private async read(folders: readonly string[]): Promise<void> {
		try {
			const isChanged = await this.reader.read(folders);
			if (folders.includes(EVERYTHING)) this.isBehind = false;
			if (!this.isBehind) this.overviews.setFailure(undefined);
			if (isChanged || !this.isReady) this.conclude();
			// Until all has been read once, what is found was there before this window.
			this.isReady ||= !this.isBehind;
		} catch (error) {
			this.isBehind = true;
			this.fail(this.workspace.paths.root, error);
			this.announce();
		}
	}

	private seeGrowth({ address }: SessionView): void {
		if (!address) return;
		const worker = this.tasks.worker(address);
		if (worker) this.prober.wake(worker.agent);
		else this.folders.touch([this.workspace.paths.tasks, this.workspace.paths.task(address.task)]);
	}

	/** After a change: updates the human's notifications, and announces it to the views. */
	private conclude(): void {
		this.overviews.conclude();
		const addresses: WorkerAddress[] = [];
		for (const task of this.tasks.all()) {
			for (const record of task.workers) {
				const { state, folded } = this.states.of(record);
				const address = { task: record.task, worker: record.name };
				addresses.push(address);
				// The end of a delegate is reported below, with more detail.
				if (record.delegate === undefined) this.attention.see(address, state, folded.stops);
			}
			const { name } = task.record;
			this.attention.seeMailbox(name, this.messages({ task: name, worker: ORCHESTRATOR }), !this.isReady);
		}
		this.attention.keepOnly(addresses);
		this.attention.seeDelegates(this.liveDelegates.all(), !this.isReady);
		this.announce();
	}

	private announce(): void {
		this.overviews.forget();
		this.announcer.announce();
	}

	private tick(): void {
		const hasBegun = this.isReady || this.isBehind;
		if (!hasBegun || this.owned.isDisposed) return;
		const { root, spool, traffic } = this.workspace.paths;
		// After this window's own changes it is read at once, and watched a moment later. Until then no notification tells of its end.
		const isGone = this.tasks.all().length > 0 && !existsSync(root);
		if (isGone || this.isBehind) this.folders.touch([EVERYTHING]);
		this.folders.touch(this.reader.isCollector ? [spool] : [spool, traffic]);
		this.liveDelegates.tick();
		// A slow transcript or a CLI that does not answer must not hold up the next tick, or the events.
		if (this.isLooking) return;
		this.isLooking = true;
		this.reading = this.lookAround()
			.catch((error: unknown) => this.fail(this.workspace.paths.root, error))
			.finally(() => (this.isLooking = false));
	}

	/** Looks at facts without a notification, and acts on them. */
	private async lookAround(): Promise<void> {
		if (this.owned.isDisposed) return;
		await this.lookout.keep();
		this.overviews.present();
		if (await this.lookout.look()) this.overviews.forget();
		await this.overviews.lookAtSnapshots();
		await this.lookout.tendBudgets(this.overview(), this.isReady);
		if (this.overviews.isOther()) this.conclude();
		const deleted = await this.lookout.tidy(this.overview());
		if (deleted.length > 0) this.folders.touch([this.workspace.paths.tasks]);
	}

	private fail(file: string, error: unknown): void {
		this.overviews.setFailure(fileProblem(file, error));
	}
}
