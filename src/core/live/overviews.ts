import { ORCHESTRATOR, type TaskName } from '../../protocol/names.ts';
import { sumUse, tokensOf } from '../budgets/use.ts';
import type { FileProblem } from '../files/fileProblem.ts';
import { ifOwn } from '../files/ownFolder.ts';
import type { Collector } from './collector.ts';
import { TaskSnapshots } from '../worktrees/taskSnapshots.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { BudgetMirror } from './budgetMirror.ts';
import type { LiveDelegates } from './liveDelegates.ts';
import type { Overview, TaskView } from './overview.ts';
import type { MirroredTask, TaskMirror } from './taskMirror.ts';
import type { WorkerStates } from './workerStates.ts';

interface Mirrors {
	workspace: Workspace;
	tasks: TaskMirror;
	states: WorkerStates;
	budgets: BudgetMirror;
	delegates: LiveDelegates;
	collector: Collector;
}

/** The overview of what is in memory. It is made once, and again only after something has changed. */
export class Overviews {
	private known: Overview | undefined;
	/** The first one after the last conclusion. */
	private concluded: Overview | undefined;
	private failure: FileProblem | undefined;
	private readonly snapshots: TaskSnapshots;
	private snapshotsSeen = '';

	constructor(private readonly mirrors: Mirrors) {
		this.snapshots = new TaskSnapshots(mirrors.workspace.own);
	}

	present(): Overview {
		this.known ??= this.make();
		this.concluded ??= this.known;
		return this.known;
	}

	/** Something has changed: the next caller gets a new one. */
	forget(): void {
		this.known = undefined;
	}

	/** Whether a fact that may change without an event differs from the last conclusion. */
	isOther(): boolean {
		const now = this.present();
		const before = this.concluded ?? now;
		if (before === now) return false;
		const [was, is] = [changeable(before), changeable(now)];
		return was.length !== is.length || was.some((part, index) => part !== is[index]);
	}

	/** Somebody acts on what is there now. */
	conclude(): void {
		this.known = undefined;
		this.concluded = undefined;
	}

	/** What the model could not do; `undefined` once it could. */
	setFailure(failure: FileProblem | undefined): void {
		if (this.failure === failure) return;
		this.failure = failure;
		this.forget();
	}

	/** No file of the workspace tells which tasks have a snapshot. This is one look at one folder. */
	async lookAtSnapshots(): Promise<void> {
		const seen = await this.snapshots.look();
		if (seen !== this.snapshotsSeen) this.forget();
		this.snapshotsSeen = seen;
	}

	private make(): Overview {
		const { tasks, delegates, collector } = this.mirrors;
		const begun = new Set(ifOwn(() => this.snapshots.tasksSync()));
		return {
			tasks: tasks.all().map(task => this.taskView(task, begun)),
			problems: [
				...tasks.problems(),
				...delegates.problems(),
				...collector.problems,
				...(this.failure ? [this.failure] : []),
			],
		};
	}

	private taskView({ record, workers: records }: MirroredTask, begun: ReadonlySet<TaskName>): TaskView {
		const { tasks, states, budgets } = this.mirrors;
		const workers = records.map(worker => states.viewOf(worker));
		const budget = budgets.viewOf({ task: record.name }, sumUse(workers.map(({ use }) => use)));
		const unread = tasks.inState({ task: record.name, worker: ORCHESTRATOR }, 'queued').length;
		const hasSnapshot = begun.has(record.name) && ({ hasSnapshot: true } as const);
		return { record, workers, unread, ...(budget && { budget }), ...hasSnapshot };
	}
}

function changeable({ tasks }: Overview): unknown[] {
	const workers = tasks.flatMap(task => task.workers);
	const ofTasks = tasks.flatMap(({ budget }) => [budget?.budget, budget?.level]);
	const ofWorkers = workers.flatMap(({ state, facts, use, budget }) => [
		state.phase,
		state.source,
		state.at,
		state.tool,
		state.summary,
		facts,
		use && tokensOf(use),
		use?.costUsd,
		budget?.budget,
		budget?.level,
	]);
	return [...ofTasks, ...ofWorkers];
}
