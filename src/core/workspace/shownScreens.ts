import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { fileNames } from '../../base/listing.ts';
import { WorkerName, type TaskName } from '../../protocol/names.ts';
import { ShownScreen, type ShownState } from '../../protocol/records.ts';
import { readOrReport, type FileProblem } from '../files/fileProblem.ts';
import { fromHeldFolder } from '../files/heldFolder.ts';
import { jsonText, readJsonFile } from '../files/jsonFile.ts';
import type { WorkerAddress, Workspace } from './workspace.ts';

const ENDING = '.screen';

/**
 * Notes what a worker's terminal shows.
 * @param since in milliseconds since 1970
 * @throws what the system says, also for a task that was deleted
 */
export async function noteScreen(
	{ paths }: Workspace,
	{ task, worker }: WorkerAddress,
	state: ShownState,
	since: number,
): Promise<void> {
	const shown: ShownScreen = { version: 1, state, at: new Date(since).toISOString() };
	// Makes no folder: a deleted task must not come back.
	await fromHeldFolder(paths.workerScreen(task, worker), file => writeFileAtomic(file, jsonText(shown)));
}

/** Its terminal shows nothing any more. */
export async function forgetScreen({ paths }: Workspace, { task, worker }: WorkerAddress): Promise<void> {
	await fromHeldFolder(paths.workerScreen(task, worker), file => rm(file, { force: true }));
}

/** What the terminals of a task's workers have shown last. */
export async function shownScreens(
	workspace: Workspace,
	task: TaskName,
): Promise<{ screens: ReadonlyMap<WorkerName, ShownScreen>; problems: FileProblem[] }> {
	const { paths } = workspace;
	workspace.refuseLinks(task);
	const screens = new Map<WorkerName, ShownScreen>();
	const problems: FileProblem[] = [];
	for (const name of await fileNames(paths.workers(task), ENDING)) {
		const worker = WorkerName.safeParse(basename(name, ENDING));
		if (!worker.success) continue;
		const file = paths.workerScreen(task, worker.data);
		await readOrReport(problems, file, async () => {
			const shown = await readJsonFile(file, ShownScreen);
			if (shown) screens.set(worker.data, shown);
		});
	}
	return { screens, problems };
}
