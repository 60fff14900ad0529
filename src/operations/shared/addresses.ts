import { basename } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theTask } from '../../core/workspace/named.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { isRunning } from '../../core/workspace/workerLife.ts';
import { startedFor } from '../../core/sessions/sealedAgents.ts';
import type { WorkerAddress, Workspace } from '../../core/workspace/workspace.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName, WorkerName } from '../../protocol/names.ts';
import { noWorker, type Meant } from './meant.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';

/** `<task>` or `<task>/<worker>` as typed. */
function parseAddress(typed: string): Meant {
	const [taskPart = '', workerPart, ...more] = typed.split('/');
	const task = parseTaskName(taskPart);
	if (workerPart === undefined) return { task };
	const worker = WorkerName.safeParse(workerPart);
	if (worker.success && more.length === 0) return { task, worker: worker.data };
	throw new NancyError(
		'bad-name',
		phrase`"${typed}" is not <task>/<worker>; a worker is called worker, worker-2, ...`,
	);
}

export function parseTaskName(typed: string): TaskName {
	const task = TaskName.safeParse(typed);
	if (task.success) return task.data;
	throw new NancyError(
		'bad-name',
		phrase`"${typed}" is not a task name: use up to 64 of a-z, 0-9, "-", "_" and ".", starting and ending with a letter or digit`,
	);
}

/**
 * The meaning of `typed`, by the asker. In a terminal of Nancy's, `orchestrator` is the human. A bare worker name is a worker of the same
 * task, unless a task has that name.
 */
export async function resolveAddress(workspace: Workspace, asker: Asker, typed: string): Promise<Meant> {
	const address = parseAddress(typed);
	const own = ownAddress(asker);
	if (!own || address.worker) return address;
	const { task } = own;
	if (typed === ORCHESTRATOR) return { task, worker: ORCHESTRATOR };
	const sibling = WorkerName.safeParse(typed);
	if (!sibling.success) return address;
	const { tasks } = await workspace.tasks();
	if (tasks.some(record => record.name === address.task)) return address;
	return (await workspace.worker({ task, worker: sibling.data })) ? { task, worker: sibling.data } : address;
}

/**
 * The mailbox that `typed` means. A task alone means its only worker, or the only one that runs. Its delegates count only if they are
 * named.
 */
export async function resolveMailbox(workspace: Workspace, asker: Asker, typed: string): Promise<WorkerAddress> {
	if (typed === ORCHESTRATOR && !ownAddress(asker))
		throw new NancyError('bad-usage', phrase`outside a Nancy terminal, name the mailbox: <task>/orchestrator`);
	const { task, worker } = await resolveAddress(workspace, asker, typed);
	await workspace.task(task);
	if (worker === ORCHESTRATOR) return { task, worker };
	const { workers, problems } = await workspace.workers(task);
	const names = workers.map(record => record.name);
	const unread = problems.find(({ isStray }) => !isStray);
	// It may be of the worker that is meant.
	if (!worker && unread) throw new NancyError('bad-file', phrase`${unread.file} ${unread.reason}; name the worker`);
	if (worker) {
		if (names.includes(worker) || worker === FIRST_WORKER) return { task, worker };
		throw new NancyError(
			'no-task',
			phrase`${theTask(task)} has no worker "${worker}"; it has ${names.join(', ') || phrase`none yet`}`,
		);
	}
	const lasting = workers.filter(record => record.delegate === undefined);
	const candidates = lasting.length > 0 ? lasting : workers;
	if (candidates.length <= 1) return { task, worker: candidates[0]?.name ?? FIRST_WORKER };
	const running = candidates.filter(isRunning).map(record => record.name);
	if (running.length === 1 && running[0]) return { task, worker: running[0] };
	throw new NancyError(
		'bad-usage',
		phrase`${theTask(task)} has several workers; name one of ${candidates.map(({ name }) => mailboxName({ task, worker: name })).join(', ')}`,
	);
}

/**
 * The workers that `typed` means: one, or all of a task. A living worker that Nancy started is known without a file of the workspace. An
 * agent can move the worker's record away, or the task's folder.
 */
export async function resolveWorkers(workspace: Workspace, asker: Asker, typed: string): Promise<WorkerAddress[]> {
	const { task, worker } = await resolveAddress(workspace, asker, typed);
	const { folder, own } = workspace;
	const started = startedFor(own.dataFolder, { folder, task }).map(({ address }) => address.worker);
	const isMeant = (name: WorkerName) => worker === undefined || name === worker;
	const isKnown = started.some(isMeant);
	if (!isKnown) await workspace.task(task);
	const recorded = await workspace.workers(task).catch((error: unknown) => {
		if (isKnown) return { workers: [], problems: [] };
		throw error;
	});
	// A record that cannot be read still names its worker. What is done to that worker then fails, and tells why.
	const unread = recorded.problems.flatMap(({ file, isStray }) => {
		const name = WorkerName.safeParse(basename(file, '.json'));
		return !isStray && name.success ? [name.data] : [];
	});
	const names = new Set([...recorded.workers.map(({ name }) => name), ...started, ...unread]);
	const chosen = [...names].filter(isMeant);
	if (chosen.length === 0) throw noWorker({ task, worker });
	return chosen.map(name => ({ task, worker: name }));
}
