import { processWord, type Liveness, type ProcessIdentity } from '../../base/liveness.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { isFinal } from '../delegates/delegate.ts';
import type { LiveDelegates } from './liveDelegates.ts';
import type { WorkerState, WorkerView } from './overview.ts';
import type { Prober } from '../sessions/prober.ts';
import type { SessionMirror } from './sessionMirror.ts';
import type { SessionView } from './sessionView.ts';
import type { TaskMirror } from './taskMirror.ts';
import { startingState, type SessionState } from './sessionState.ts';
import { concludeState } from './workerState.ts';

/** If a worker's start is newer than its session's last event by more than this, the events are of an earlier run. */
const RESTART_MS = 2000;

/** How long a living process counts as living without another look, in milliseconds. */
const ALIVE_MS = 500;

/** The sources of evidence for a worker's state. */
interface Sources {
	tasks: TaskMirror;
	traffic: SessionMirror;
	delegates: LiveDelegates;
	prober: Prober;
	isAlive: (process: ProcessIdentity) => Liveness;
	now: () => number;
}

interface Standing {
	state: WorkerState;
	view: SessionView | undefined;
	/** By its session's events alone. */
	folded: SessionState;
}

/** Each worker's state, from its records, its session's events, its process and the agent's own answer. */
export class WorkerStates {
	private readonly processes = new Map<string, { liveness: Liveness; at: string; checkedMs: number }>();

	private readonly over = new WeakMap<WorkerRecord, Standing & { view: SessionView; seen: SessionState }>();

	constructor(private readonly sources: Sources) {}

	/** An ended worker stays so until its record or its session changes: hundreds of them are asked every second. */
	of(record: WorkerRecord): Standing {
		const known = this.over.get(record);
		if (known && known.view.state === known.seen) return known;
		const standing = this.conclude(record);
		const { state, view } = standing;
		if (state.phase === 'ended' && view?.state) this.over.set(record, { ...standing, view, seen: view.state });
		else this.over.delete(record);
		return standing;
	}

	private conclude(record: WorkerRecord): Standing {
		const { traffic, prober } = this.sources;
		const view = traffic.current(record);
		const session = view?.session ?? record.sessions.at(-1)?.id;
		const fresh = startingState(record.startedAt, record.sessions.at(-1)?.id);
		const isRestarted = view?.state && Date.parse(record.startedAt) - Date.parse(view.state.at) > RESTART_MS;
		const folded = view?.state && !isRestarted ? view.state : fresh;
		const state = concludeState(folded, {
			process: this.processEvidence(record) ?? this.endOfDelegate(record),
			stoppedAt: record.stoppedAt,
			probe: session === undefined ? undefined : prober.probe(session),
			interruptedAt: view?.facts?.interruptedAt,
			hooks: record.hooks,
			exitCode: record.exit?.code,
			unprompted: record.unprompted,
		});
		return { state, view, folded };
	}

	viewOf(record: WorkerRecord): WorkerView {
		const { state, view, folded } = this.of(record);
		const queued = this.sources.tasks.inState({ task: record.task, worker: record.name }, 'queued').length;
		const { turnEndedAt } = folded;
		return {
			record,
			state,
			queued,
			...(view?.facts && { facts: view.facts }),
			...(turnEndedAt !== undefined && { turnEndedAt }),
		};
	}

	/** A worker that ended before its agent started never had a process. */
	private endOfDelegate({ delegate: id }: WorkerRecord): { liveness: Liveness; at: string } | undefined {
		const delegate = id === undefined ? undefined : this.sources.delegates.find(id);
		if (!delegate || !isFinal(delegate.state)) return undefined;
		return { liveness: 'dead', at: delegate.status.ended_at ?? delegate.record.createdAt };
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
		this.processes.set(key, found);
		return found;
	}
}
