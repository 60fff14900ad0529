import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/errors.ts';
import { removeTree } from '../../base/removeTree.ts';
import { fileNames } from '../../base/listing.ts';
import { uniqueHex } from '../../base/unique.ts';
import type { TaskName } from '../../protocol/names.ts';
import { WorkerRecord } from '../../protocol/records.ts';
import { inHeldFolder } from '../files/heldFolder.ts';
import { readJsonFile } from '../files/jsonFile.ts';
import { Budgets } from '../budgets/budgets.ts';
import { SEALS } from '../mailbox/sealReader.ts';
import { forgetSession } from './bindings.ts';
import { forgetChosenAgents } from '../workspace/chosenAgent.ts';
import { forgetFound } from '../workspace/foundTask.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** The prefix of a deleted task's or worker's folder until it is gone. */
const GRAVE = '.deleted-';

/**
 * Removes a task with its mailboxes. In one step, so that a kill leaves it whole or gone. Its seals go before, by name: an agent can make
 * its folders again, and its waiting messages must not come back with them. After a kill in between, they wait without an author. For a
 * task that was removed by hand, the seals go.
 */
export async function deleteTask(workspace: Workspace, name: TaskName): Promise<void> {
	const isRemoved = wasRemovedByHand(workspace, name);
	if (!isRemoved) await workspace.task(name);
	await workspace.own.remove(SEALS, name);
	await forgetChosenAgents(workspace, { task: name });
	await new Budgets(workspace.own).set({ task: name }, undefined);
	const grave = newGrave(workspace);
	if (!isRemoved) await move(workspace.paths.task(name), grave);
	// Last: the sweep after a kill deletes only what is known as found.
	await forgetFound(workspace, name);
	if (!isRemoved) await finish(workspace, grave);
}

/**
 * Whether nothing but seals is left of a task. An agent can bring that about, too. So the seals go only once somebody deletes the task, and
 * never by themselves.
 */
export function wasRemovedByHand({ paths, own }: Workspace, name: TaskName): boolean {
	return !existsSync(paths.taskRecord(name)) && own.namesSync(SEALS, name).length > 0;
}

/**
 * Removes a worker's seals, its mailbox, its record and its sessions' bindings. The record goes last, so after a kill the worker still
 * exists and can be deleted again.
 */
export async function deleteWorker(workspace: Workspace, { task, worker }: WorkerAddress): Promise<void> {
	const { paths } = workspace;
	workspace.refuseLinks(task);
	await workspace.own.remove(SEALS, task, worker);
	await forgetChosenAgents(workspace, { task, worker });
	const grave = newGrave(workspace);
	const records = join(grave, 'workers');
	await mkdir(records, { recursive: true, mode: 0o700 });
	await bury(paths.mailbox(task, worker), join(grave, 'mailbox'));
	await bury(paths.screen(task, worker), join(grave, 'screen'));
	await bury(paths.workerRecord(task, worker), join(records, `${worker}.json`));
	await finish(workspace, grave);
}

/**
 * Finishes the deletion of tasks and workers after a kill. Safe to repeat, and for several at once. What cannot be removed now, such as a
 * folder that root has made in a container, keeps no other one: the next time tries again.
 */
export async function finishDeletions(workspace: Workspace): Promise<void> {
	const { tasks } = workspace.paths;
	workspace.refuseLinks();
	for (const name of await readdir(tasks))
		if (name.startsWith(GRAVE)) await finish(workspace, join(tasks, name)).catch(() => undefined);
}

async function finish(workspace: Workspace, grave: string): Promise<void> {
	const records = join(grave, 'workers');
	const failures: unknown[] = [];
	for (const file of await fileNames(records, '.json')) {
		// An unreadable record leaves bindings to a missing mailbox. Such a session gets another worker.
		const record = await readJsonFile(join(records, file), WorkerRecord).catch(() => undefined);
		// One of a worker whose record cannot be read is that worker's. Anything else keeps the grave: the next time tries again.
		for (const { id } of record?.sessions ?? [])
			await forgetSession(workspace, id).catch(
				(error: unknown) => hasCode(error, 'bad-file') || failures.push(error),
			);
	}
	if (failures.length > 0) throw failures[0];
	await removeTree(grave);
}

function newGrave({ paths }: Workspace): string {
	return join(paths.tasks, `${GRAVE}${uniqueHex(12)}`);
}

async function bury(from: string, to: string): Promise<void> {
	if (existsSync(from)) await move(from, to);
}

/** What is moved is removed then. So it must not be somebody else's, of the same name behind a link. */
function move(from: string, to: string): Promise<void> {
	return inHeldFolder(from, source => inHeldFolder(to, target => rename(source, target)));
}
