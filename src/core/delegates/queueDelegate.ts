import type { DelegateRecord } from '../../protocol/delegate.ts';
import { Limits } from '../../protocol/delegate.ts';
import { ORCHESTRATOR, TaskName, type DriverId } from '../../protocol/names.ts';
import { NancyError } from '../../base/errors.ts';
import type { WorkerAddress } from '../workspace.ts';
import type { Delegate, Delegates } from './delegates.ts';
import type { Tickets } from './tickets.ts';

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
	setUp?: string | undefined;
	tearDown?: string | undefined;
	/** Who gets the result; the human of that task for `orchestrator`, the human where absent. */
	parent?: WorkerAddress | undefined;
	group?: string | undefined;
}

/** Where delegates live that nobody's task asked for. */
export const OWN_TASK = TaskName.parse('delegates');

/** Queues a delegate, with a mailbox of its own in the task of whoever asked for it. The queue starts it when it may. */
export async function queueDelegate(
	delegates: Delegates,
	tickets: Tickets,
	request: DelegateRequest,
): Promise<Delegate> {
	const { prompt, parent, worktree, folder, limits, ...others } = request;
	const task = parent?.task ?? (await ownTask(delegates, request.agent));
	return delegates.locked(async () =>
		delegates.create(
			{
				agent: others.agent,
				permissions: others.permissions,
				...(others.model !== undefined && { model: others.model }),
				...(others.group !== undefined && { group: others.group }),
				...(others.setUp !== undefined && { setUp: others.setUp }),
				...(others.tearDown !== undefined && { tearDown: others.tearDown }),
				title: request.title ?? titleOf(prompt),
				place: worktree ? { is: 'worktree', folder, ...worktree } : { is: 'folder', folder },
				limits: Limits.parse(limits ?? {}),
				task,
				worker: await delegates.nextWorker(task),
				...(parent && parent.worker !== ORCHESTRATOR && { parent }),
			} satisfies Omit<DelegateRecord, 'version' | 'id' | 'createdAt'>,
			prompt,
			async ({ id, worker, agent, createdAt }, contents) => {
				// Its name is taken from now on, and one can write to it before it runs.
				await delegates.workspace.createWorker({
					version: 1,
					task,
					name: worker,
					agent,
					sessions: [],
					startedAt: createdAt,
					delegate: id,
				});
				await tickets.issue(id, delegates.filesOfRequest(id), contents);
			},
		),
	);
}

async function ownTask({ workspace }: Delegates, agent: DriverId): Promise<TaskName> {
	try {
		await workspace.createTask({
			version: 1,
			name: OWN_TASK,
			title: 'Delegates',
			prompt: '',
			agent,
			createdAt: new Date().toISOString(),
			origin: 'nancy',
		});
	} catch (error) {
		if (!(error instanceof NancyError && error.code === 'task-exists')) throw error;
	}
	return OWN_TASK;
}

function titleOf(prompt: string): string {
	const [line = ''] = prompt.trim().split('\n');
	return line.replace(/^#+\s*/, '').slice(0, 100);
}
