import type { ExecutorId } from '../../protocol/executorId.ts';
import type { Isolation, IsolationChoice } from '../../protocol/isolation.ts';
import type { Budget } from '../../protocol/budget.ts';
import { Limits, type DelegateRecord, type SwarmFeature } from '../../protocol/delegate.ts';
import { ORCHESTRATOR, type DriverId } from '../../protocol/names.ts';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import { theDelegate } from '../workspace/named.ts';
import type { Asker } from '../asker/asker.ts';
import { Budgets } from '../budgets/budgets.ts';
import { forgetChosenAgents } from '../workspace/chosenAgent.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';
import type { Delegate } from './delegate.ts';
import type { Delegates } from './delegates.ts';
import { ownTask } from './ownTask.ts';
import { swarmFeature } from './swarm.ts';
import { liveSwarmRun, openDelegate } from './swarmRun.ts';
import type { Tickets } from './tickets.ts';

/** What somebody asks for. */
export interface DelegateRequest {
	prompt: string;
	/** The prompt's first line where absent. */
	title?: string | undefined;
	agent: DriverId;
	model?: string | undefined;
	permissions: string;
	/** Folder to work in, or whose repository gets a worktree. Absolute. */
	folder: string;
	worktree?: { withChanges: boolean } | undefined;
	limits?: Partial<Limits>;
	/** The receiver of the result; the human of that task for `orchestrator`, the human if absent. */
	parent?: WorkerAddress | undefined;
	group?: string | undefined;
	/** The machine that it runs on; this one if absent. */
	on?: ExecutorId | undefined;
	/** The sandbox that it runs in; as the user has set it if absent. A person's alone to choose. */
	isolate?: IsolationChoice | undefined;
}

/** With what only the user's settings and sealed requests decide. */
export interface FullRequest extends DelegateRequest {
	/** The sandbox that it runs in; none if absent. */
	isolate?: Isolation | undefined;
	/** Commands for the worktree. */
	setUp?: string | undefined;
	tearDown?: string | undefined;
	/** Set if it is a worker of a claude-swarm too, under this name or, without one, that of its mailbox. */
	swarm?: { feature: string | undefined } | undefined;
	/** What it may take. A person's alone to set. */
	budget?: Budget | undefined;
	/** The asker of the one that a person repeats: an agent's words stay an agent's. */
	askedBy?: DelegateRecord['askedBy'];
}

/** Queues a delegate, with a mailbox of its own in the asker's task. The queue starts it when it may. */
export async function queueDelegate(
	delegates: Delegates,
	tickets: Tickets,
	asker: Asker,
	request: FullRequest,
): Promise<Delegate> {
	const { prompt, parent, worktree, folder, limits, swarm, budget, ...others } = request;
	const by: DelegateRecord['askedBy'] =
		asker.is === 'human' ? { is: 'human' } : { is: 'agent', worker: asker.worker?.address };
	const task = parent?.task ?? (await ownTask(delegates.workspace, request.agent));
	return delegates.locked(async () => {
		const worker = await delegates.nextWorker(task);
		const feature = swarm && swarmFeature(swarm.feature ?? `${task}.${worker}`);
		if (feature !== undefined) await refuseSecond(delegates, feature);
		return delegates.create(
			{
				agent: others.agent,
				permissions: others.permissions,
				...(others.model !== undefined && { model: others.model }),
				...(others.on !== undefined && { on: others.on }),
				...(others.isolate !== undefined && { isolate: others.isolate }),
				...(others.group !== undefined && { group: others.group }),
				...(others.setUp !== undefined && { setUp: others.setUp }),
				...(others.tearDown !== undefined && { tearDown: others.tearDown }),
				title: request.title ?? titleOf(prompt),
				place: worktree ? { is: 'worktree', folder, ...worktree } : { is: 'folder', folder },
				limits: Limits.parse(limits ?? {}),
				task,
				worker,
				...(feature !== undefined && { swarm: { feature } }),
				...(parent && parent.worker !== ORCHESTRATOR && { parent }),
				askedBy: others.askedBy ?? by,
			} satisfies Omit<DelegateRecord, 'version' | 'id' | 'createdAt'>,
			prompt,
			async (record, contents, report) => {
				// An earlier worker of that name may have had one, and its record may be gone.
				await forgetChosenAgents(delegates.workspace, { task, worker });
				// Its name is taken from now on, and people can write to it before it runs.
				const { id, agent, createdAt } = record;
				const isNew = await delegates.workspace.createWorker({
					version: 1,
					task,
					name: worker,
					agent,
					sessions: [],
					startedAt: createdAt,
					delegate: id,
				});
				if (!isNew)
					throw new NancyError(
						'busy',
						phrase`${mailboxName({ task, worker })} belongs to another delegate by now; try again`,
					);
				// A delegate never waits without its budget.
				if (budget) await new Budgets(delegates.workspace.own).set({ delegate: id }, budget);
				await tickets.issue(record, delegates.filesOfRequest(id), contents, report);
			},
		);
	});
}

/** Two workers of one name would write the same files. */
async function refuseSecond(delegates: Delegates, feature: SwarmFeature): Promise<void> {
	const other = await openDelegate(delegates, feature);
	const run = other ? undefined : await liveSwarmRun(delegates.workspace.folder, feature);
	const who = other ? theDelegate(other.record.id) : run && phrase`the process ${run.pid}`;
	if (who === undefined) return;
	throw new NancyError('busy', phrase`${who} is the swarm's worker "${feature}" already; wait until it has ended`);
}

function titleOf(prompt: string): string {
	const [line = ''] = prompt.trim().split('\n');
	return line.replace(/^#+\s*/, '').slice(0, 100);
}
