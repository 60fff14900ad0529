import { join } from 'node:path';
import { hasCode, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import { theWorker } from '../workspace/named.ts';
import { fileNames, folderNames } from '../../base/listing.ts';
import { oneByOne } from '../../base/oneByOne.ts';
import type { DriverId, TaskName } from '../../protocol/names.ts';
import { TaskRecord, WorkerRecord } from '../../protocol/records.ts';
import type { Driver } from '../driver/driver.ts';
import { readJsonFile } from '../files/jsonFile.ts';
import { isRunning } from '../workspace/workerLife.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { FileProblem } from '../files/fileProblem.ts';
import { recordsFor } from './found.ts';
import { showToGit } from './gitExclude.ts';
import type { AskGit } from './gitView.ts';
import { unknownWriter } from './places.ts';
import { DeploymentRecords } from './records.ts';
import { undeploy, type TakenBack } from './undeploy.ts';

export interface CleanUpResult extends TakenBack {
	/** False when hooks and skills stay because another task needs them. */
	undeployed: boolean;
	/** Agents whose deployment was not wholly removed, with the error. Their records stay. */
	failed: readonly { agent: DriverId; error: unknown }[];
}

export interface CleanUpRequest {
	/** The user's, with the records of what was deployed: see base/folders. */
	dataFolder: string;
	/** Whether an agent may be writing its settings itself. */
	isBusy?: (agent: DriverId) => boolean;
	askGit?: AskGit;
}

/**
 * Takes back the deployment: for the whole workspace, or after one task, which is archived. After a task, only if no other task needs the
 * deployment. Messages and records stay. Entries without a record are found too. Throws `busy` if a running agent would lose its hooks, and
 * `bad-file` for an unreadable record of a task. A record outside its place is a warning, unless its agent runs.
 */
export async function cleanUp(
	workspace: Workspace,
	task: TaskName | undefined,
	drivers: readonly Driver[],
	{ dataFolder, isBusy = () => false, askGit }: CleanUpRequest,
): Promise<CleanUpResult> {
	const strays: string[] = [];
	const tasks = readable(await workspace.tasks(), strays).tasks;
	await refuseRunning(workspace, tasks, task, strays);
	if (task !== undefined) {
		const isNeeded = await hasOpenTask(
			workspace,
			tasks.filter(({ name }) => name !== task),
			strays,
		);
		await workspace.updateTask(task, record => ({ archivedAt: new Date().toISOString(), ...record }));
		if (isNeeded) return { changed: [], warnings: strays, kept: [], failed: [], undeployed: false };
	}
	const records = new DeploymentRecords(workspace, dataFolder);
	const ids = [...(await records.all()).map(({ driver }) => driver), ...drivers.map(({ id }) => id)];
	const { done, failures } = await oneByOne([...new Set(ids)], async id => {
		const driver = drivers.find(each => each.id === id) ?? unknownWriter(id);
		return undeploy(workspace, driver, { dataFolder, isBusy: () => isBusy(id), askGit });
	});
	// Also leftovers of a kill or a removed record.
	const git = askGit ? await records.locked(() => showToGit(records, askGit)) : [];
	// Passes; the caller tries again.
	const busy = failures.find(({ error }) => hasCode(error, 'busy'));
	if (busy) throw busy.error;
	return {
		changed: done.flatMap(({ changed }) => changed),
		warnings: [...strays, ...done.flatMap(({ warnings }) => warnings), ...git],
		kept: done.flatMap(({ kept }) => kept),
		failed: failures.map(({ item, error }) => ({ agent: item, error })),
		undeployed: true,
	};
}

async function refuseRunning(
	workspace: Workspace,
	tasks: readonly TaskRecord[],
	task: TaskName | undefined,
	strays: string[],
): Promise<void> {
	// A session that the user started alone must not keep the user from removing Nancy.
	const own = tasks.filter(({ name, origin }) => (task === undefined ? origin === 'nancy' : name === task));
	for (const { name } of own) {
		const running = readable(await workspace.workers(name), strays).workers.find(isRunning);
		if (!running) continue;
		const worker = { task: name, worker: running.name };
		throw new NancyError(
			'busy',
			phrase`${theWorker(worker)} is running; end it first: ${`nancy stop ${mailboxName(worker)}`}`,
		);
	}
	const file = await runningFile(workspace, (folder, origin) =>
		task === undefined ? origin !== 'found' : folder === task,
	);
	if (file === undefined) return;
	throw new NancyError(
		'busy',
		phrase`${file} belongs to a running agent; end that agent first, or restore the name of the file or its folder`,
	);
}

/** A session that Nancy only found needs no deployment once it has ended. */
async function hasOpenTask(workspace: Workspace, tasks: readonly TaskRecord[], strays: string[]): Promise<boolean> {
	for (const { name, origin, archivedAt } of tasks) {
		if (archivedAt === undefined && origin === 'nancy') return true;
		if (readable(await workspace.workers(name), strays).workers.some(isRunning)) return true;
	}
	return (await runningFile(workspace, () => true)) !== undefined;
}

/**
 * The record of a running agent, whatever it or its task's folder is called: a renamed one has no other record. A copy means nothing once
 * its agent has ended.
 * @param isMeant is called with the name of the task's folder, and with the name in its record
 */
async function runningFile(
	{ paths }: Workspace,
	isMeant: (folder: string, origin: TaskRecord['origin'] | undefined) => boolean,
): Promise<string | undefined> {
	for (const folder of await folderNames(paths.tasks)) {
		const task = await readJsonFile(join(paths.tasks, folder, 'task.json'), TaskRecord).catch(() => undefined);
		if (!isMeant(folder, task?.origin)) continue;
		const workers = join(paths.tasks, folder, 'workers');
		for (const name of await fileNames(workers, '.json')) {
			// All records in their own place have been read by now.
			const record = await readJsonFile(join(workers, name), WorkerRecord).catch(() => undefined);
			if (record && isRunning(record)) return join(workers, name);
		}
	}
	return undefined;
}

/**
 * An unreadable record may belong to a running agent: throws `bad-file` for the first.
 * @param strays collects records outside their place
 */
function readable<T extends { problems: readonly FileProblem[] }>(listing: T, strays: string[]): T {
	const problem = listing.problems.find(({ isStray }) => !isStray);
	strays.push(...listing.problems.filter(({ isStray }) => isStray).map(({ file, reason }) => `${file}: ${reason}`));
	if (!problem) return listing;
	throw new NancyError(
		'bad-file',
		phrase`${problem.file}: ${problem.reason}. Its agent may still run and would lose its hooks; repair or move the file and try again`,
	);
}

/** The agents with a deployment in a folder, recorded or not. */
export async function deployedIn(
	workspace: Workspace,
	drivers: readonly Driver[],
	dataFolder: string,
): Promise<DriverId[]> {
	const found: DriverId[] = [];
	for (const driver of drivers) {
		// An unreadable file says nothing here. Its editing reports the reason.
		const records = await recordsFor(workspace, driver, dataFolder).catch(() => undefined);
		if (await records?.of(driver.id)) found.push(driver.id);
	}
	return found;
}
