import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theWorker } from '../core/workspace/named.ts';
import { isInside } from '../base/inside.ts';
import { identify } from '../base/liveness.ts';
import { isProcessOf, type Ancestor, type KnownDriver } from '../core/asker/asker.ts';
import { isWorker, sealedAgent } from '../core/sessions/sealedAgents.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { processAt } from './lineage.ts';

/**
 * Refuses a process that is not this worker's agent. The record that names it is below `.nancy`, where agents write, and could name any
 * process of the user's, also another agent's. The user's own records name the worker of each process that Nancy started, or whose hooks
 * have called. A process that only its hooks have named must also be the CLI, or carry its worker in its environment. So must one that Nancy
 * started, if the system tells no start times but shows the process (macOS). A process without such a record must carry its worker in its
 * environment.
 * @param driver of the record; `undefined` if Nancy does not know it
 * @throws NancyError `not-trusted`
 */
export async function requireOwnAgent(
	pid: number,
	workspace: Workspace,
	address: WorkerAddress,
	driver: KnownDriver | undefined,
): Promise<void> {
	const found = processAt(pid);
	const isMarked = found !== undefined && isMarkedAs(found.env, workspace, address);
	const isHere = found?.folder === undefined || isInside(real(workspace.folder), found.folder);
	const isProgram = found !== undefined && driver !== undefined && isHere && isProcessOf(driver, found);
	const sealed = sealedAgent(workspace.own.dataFolder, identify(pid));
	const isSealed = sealed && isWorker(sealed, { folder: workspace.folder, address });
	// Without a start time, a later process may have the pid of the one that Nancy started.
	const isStarted = sealed?.isStarted && (sealed.process.startedTicks > 0 || !found);
	if (sealed ? isSealed && (isStarted || isMarked || isProgram) : isMarked) return;
	throw new NancyError(
		'not-trusted',
		phrase`process ${pid} is not ended: the record of ${theWorker(address)} names it, but nothing proves that it is that agent.
			Check the process (ps -p ${pid}), then end it yourself: kill ${pid}`,
	);
}

/** Does not follow the task's own folder: as a link, it would be another task's. */
function isMarkedAs(env: Ancestor['env'], { paths }: Workspace, { task, worker }: WorkerAddress): boolean {
	const { NANCY_TASK_DIR: taskFolder, NANCY_WORKER: name } = env;
	if (taskFolder === undefined || name !== worker || basename(taskFolder) !== task) return false;
	return real(dirname(taskFolder)) === real(paths.tasks);
}

/** Follows links, as far as the path exists. */
function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return dirname(path) === path ? path : join(real(dirname(path)), path.slice(dirname(path).length));
	}
}
