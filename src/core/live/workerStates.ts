import { processWord, type Liveness, type ProcessIdentity } from '../../base/liveness.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { ShownScreen, WorkerRecord } from '../../protocol/records.ts';
import { isFinal, type Delegate } from '../delegates/delegate.ts';
import type { BudgetMirror } from './budgetMirror.ts';
import type { LiveDelegates } from './liveDelegates.ts';
import type { WorkerState, WorkerView } from './overview.ts';
import type { Prober } from './prober.ts';
import { currentOf, type SessionMirror } from './sessionMirror.ts';
import type { SessionView } from './sessionView.ts';
import type { TaskMirror } from './taskMirror.ts';
import { startingState, type SessionState } from './sessionState.ts';
import { newerUse, sumUse, useOfRun, type Use } from '../budgets/use.ts';
import { CLOCKS_DIFFER_MS, concludeState, PARKED } from './workerState.ts';

/** If a worker's start is newer than its session's last event by more than this, the events are of an earlier run. */
const RESTART_MS = 2000;

/** How long a living process counts as living without another look, in milliseconds. */
const ALIVE_MS = 500;

/** The sources of evidence for a worker's state. */
interface Sources {
	/** The worktree that a record names, if it is this worker's. */
	worktreeOf: (record: WorkerRecord) => WorkerRecord['worktree'];
	/** Whether that tool of an agent works on a file: see `EventWords`. */
	isOnFile: (agent: DriverId, tool: string) => boolean;
	tasks: TaskMirror;
	traffic: SessionMirror;
	delegates: LiveDelegates;
	budgets: BudgetMirror;
	prober: Prober;
	isAlive: (process: ProcessIdentity) => Liveness;
	now: () => number;
}

interface Standing {
	state: WorkerState;
	view: SessionView | undefined;
	/** By its session's events alone. */
	folded: SessionState;
	/** Its sessions, present and earlier. */
	sessions: ReadonlySet<SessionView>;
}

/** Each worker's state, from its records, its session's events, its process and the agent's own answer. */
export class WorkerStates {
	private readonly processes = new Map<string, { liveness: Liveness; at: string; checkedMs: number }>();

	private readonly over = new WeakMap<WorkerRecord, Standing & { view: SessionView; seen: SessionState }>();

	private readonly worktrees = new WeakMap<WorkerRecord, Pick<WorkerRecord, 'worktree'>>();

	/** A process was found otherwise than before. */
	private hasNews = false;

	constructor(private readonly sources: Sources) {}

	/** Whether a process was found otherwise since the last call. */
	takeNews(): boolean {
		const { hasNews } = this;
		this.hasNews = false;
		return hasNews;
	}

	/** An ended worker stays so until its record or its session changes: hundreds of them are asked every second. */
	of(record: WorkerRecord): Standing {
		const known = this.over.get(record);
		if (known && known.view.state === known.seen) return known;
		const standing = this.conclude(record);
		const { state, view } = standing;
		const isOver = state.phase === 'ended' && !this.isOpen(record);
		if (isOver && view?.state) this.over.set(record, { ...standing, view, seen: view.state });
		else this.over.delete(record);
		return standing;
	}

	private conclude(record: WorkerRecord): Standing {
		const { traffic, prober } = this.sources;
		const sessions = traffic.of(record);
		const view = currentOf(sessions);
		const session = view?.session ?? record.sessions.at(-1)?.id;
		const fresh = startingState(record.startedAt, record.sessions.at(-1)?.id);
		const isRestarted = view?.state && Date.parse(record.startedAt) - Date.parse(view.state.at) > RESTART_MS;
		const folded = view?.state && !isRestarted ? view.state : fresh;
		const concluded = concludeState(folded, {
			process: this.processEvidence(record) ?? this.endOfDelegate(record),
			stoppedAt: record.stoppedAt,
			probe: session === undefined ? undefined : prober.probe(session),
			interruptedAt: view?.facts?.interruptedAt,
			hooks: record.hooks,
			screen: this.screenEvidence(record),
			exitCode: record.exit?.code,
			unprompted: record.unprompted,
		});
		const isOnFile = concluded.tool !== undefined && this.sources.isOnFile(record.agent, concluded.tool);
		const state = isOnFile ? ({ ...concluded, isOnFile } as const) : concluded;
		return { state, view, folded, sessions };
	}

	/** What writers of messages may expect. The agent of a delegate that waits for its account has ended, and will start anew. */
	aheadOf(record: WorkerRecord, state = this.of(record).state): WorkerState {
		if (state.phase !== 'ended' || this.delegateOf(record)?.state !== 'parked') return state;
		const { at, since, session } = state;
		return { phase: 'starting', source: PARKED, at, since, ...(session !== undefined && { session }) };
	}

	viewOf(record: WorkerRecord): WorkerView {
		const { state, view, folded, sessions } = this.of(record);
		const use = newerUse(this.useOfDelegate(record), sumUse([...sessions].map(each => each.use)));
		const queued = this.sources.tasks.inState({ task: record.task, worker: record.name }, 'queued').length;
		const delegate = this.delegateOf(record);
		const budget = delegate && this.sources.budgets.viewOf({ delegate: delegate.record.id }, use);
		const { turnEndedAt, workedAt, said, alert } = folded;
		const worktree = this.worktreeOf(record);
		return {
			record,
			state: this.aheadOf(record, state),
			queued,
			...(view?.facts && { facts: view.facts }),
			...(use && { use }),
			...(budget && { budget }),
			...(said && state.phase !== 'ended' && { said }),
			...(alert && state.phase !== 'ended' && { alert }),
			...(turnEndedAt !== undefined && { turnEndedAt }),
			...(workedAt !== undefined && { workedAt }),
			...(worktree && { worktree }),
		};
	}

	/** A record that is read again is another object. */
	private worktreeOf(record: WorkerRecord): WorkerRecord['worktree'] {
		if (!record.worktree) return undefined;
		const known = this.worktrees.get(record);
		if (known) return known.worktree;
		const worktree = this.sources.worktreeOf(record);
		this.worktrees.set(record, { worktree });
		return worktree;
	}

	private useOfDelegate(record: WorkerRecord): Use | undefined {
		const delegate = this.delegateOf(record);
		return delegate && useOfRun(delegate.status);
	}

	/** A worker that ended before its agent started never had a process. */
	private endOfDelegate(record: WorkerRecord): { liveness: Liveness; at: string } | undefined {
		const delegate = this.delegateOf(record);
		if (!delegate || !isFinal(delegate.state)) return undefined;
		return { liveness: 'dead', at: delegate.status.ended_at ?? delegate.record.createdAt };
	}

	private delegateOf({ delegate: id }: WorkerRecord): Delegate | undefined {
		return id === undefined ? undefined : this.sources.delegates.find(id);
	}

	/** Its agent may start again. */
	private isOpen(record: WorkerRecord): boolean {
		const delegate = this.delegateOf(record);
		return delegate !== undefined && !isFinal(delegate.state);
	}

	/** A delegate has no terminal. What was shown before this start, or in the future, is of another program. */
	private screenEvidence(record: WorkerRecord): ShownScreen | undefined {
		if (record.delegate !== undefined) return undefined;
		const screen = this.sources.tasks.screen({ task: record.task, worker: record.name });
		if (!screen) return undefined;
		const sinceMs = Date.parse(screen.at);
		const isOfThisRun = sinceMs >= Date.parse(record.startedAt) && sinceMs <= this.sources.now() + CLOCKS_DIFFER_MS;
		return isOfThisRun ? screen : undefined;
	}

	private processEvidence(record: WorkerRecord): { liveness: Liveness; at: string } | undefined {
		if (!record.process) return undefined;
		const { isAlive, now } = this.sources;
		const key = processWord(record.process);
		const known = this.processes.get(key);
		if (known && (known.liveness === 'dead' || now() - known.checkedMs < ALIVE_MS)) return known;
		const found = {
			liveness: isAlive(record.process),
			at: new Date(now()).toISOString(),
			checkedMs: now(),
		};
		this.hasNews ||= known?.liveness !== found.liveness;
		this.processes.set(key, found);
		return found;
	}
}
