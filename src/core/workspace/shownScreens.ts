import { basename } from 'node:path';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { fileNames } from '../../base/listing.ts';
import { WorkerName, type TaskName } from '../../protocol/names.ts';
import { ShownScreen } from '../../protocol/records.ts';
import { readOrReport, type FileProblem } from '../files/fileProblem.ts';
import { inHeldFolderSync } from '../files/heldFolder.ts';
import { jsonText, readJsonFile } from '../files/jsonFile.ts';
import type { WorkerAddress, Workspace } from './workspace.ts';

const ENDING = '.screen';

/** Notes what a worker's terminal shows. @throws what the system says, also for a task that was deleted */
export function noteScreen(
	{ paths }: Workspace,
	{ task, worker }: WorkerAddress,
	shown: Pick<ShownScreen, 'at' | 'hasWorked' | 'state'>,
): void {
	// Makes no folder: a deleted task must not come back.
	inHeldFolderSync(paths.workerScreen(task, worker), file =>
		writeFileAtomicSync(file, jsonText({ version: 1, ...shown })),
	);
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
