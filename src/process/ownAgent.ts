import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { isProcessOf, type KnownDriver } from '../core/asker/asker.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { processAt } from './lineage.ts';

/**
 * Refuses a process that is not this worker's agent. The record that names it is below `.nancy`, where agents write, and could name any
 * process of the user's. An agent that Nancy started carries its worker in its environment. An agent that a person started in this
 * workspace is known by its program.
 * @param driver of the record; `undefined` if Nancy does not know it
 * @throws NancyError `not-trusted`
 */
export function requireOwnAgent(
	pid: number,
	workspace: Workspace,
	{ task, worker }: WorkerAddress,
	driver: KnownDriver | undefined,
): void {
	const found = processAt(pid);
	const { NANCY_TASK_DIR: taskFolder, NANCY_WORKER: name } = found?.env ?? {};
	const isMarked =
		taskFolder !== undefined && name === worker && real(taskFolder) === real(workspace.paths.task(task));
	if (isMarked) return;
	const isHere = found?.folder === undefined || isInside(real(workspace.folder), found.folder);
	if (found && driver && isHere && isProcessOf(driver, found)) return;
	throw new NancyError(
		'not-trusted',
		`process ${pid} is not ended: the record of ${task}/${worker} names it, but nothing proves that it is that agent. ` +
			`Check the process (ps -p ${pid}), then end it yourself: kill ${pid}`,
	);
}

/** Follows links, as far as the path exists. */
function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return dirname(path) === path ? path : join(real(dirname(path)), path.slice(dirname(path).length));
	}
}
