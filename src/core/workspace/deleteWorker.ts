import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { uniqueHex } from '../../base/unique.ts';
import { GRAVE, type WorkerAddress, type Workspace } from './workspace.ts';

/**
 * Removes a worker's mailbox, its record and its sessions' bindings. The record goes last, so after a kill the worker still exists and can
 * be deleted again.
 */
export async function deleteWorker(workspace: Workspace, { task, worker }: WorkerAddress): Promise<void> {
	const { paths } = workspace;
	workspace.refuseLinks(task);
	const grave = join(paths.tasks, `${GRAVE}${uniqueHex(12)}`);
	const records = join(grave, 'workers');
	await mkdir(records, { recursive: true, mode: 0o700 });
	await bury(paths.mailbox(task, worker), join(grave, 'mailbox'));
	await bury(paths.workerRecord(task, worker), join(records, `${worker}.json`));
	await workspace.sweep();
}

async function bury(from: string, to: string): Promise<void> {
	if (existsSync(from)) await rename(from, to);
}
