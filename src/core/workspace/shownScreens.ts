import { basename } from 'node:path';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { fileNames } from '../../base/listing.ts';
import { WorkerName, type TaskName } from '../../protocol/names.ts';
import { ShownScreen } from '../../protocol/records.ts';
import { readOrReport, type FileProblem } from '../files/fileProblem.ts';
import { HeldFolder } from '../files/heldFolder.ts';
import { jsonText, readJsonFile } from '../files/jsonFile.ts';
import type { WorkerAddress, Workspace } from './workspace.ts';

const ENDING = '.json';

/** What the terminals of a task's workers have shown last. */
export interface ShownScreens {
	readonly byWorker: ReadonlyMap<WorkerName, ShownScreen>;
	readonly problems: readonly FileProblem[];
}

/** Notes what a worker's terminal shows. A task that was deleted stays so. @throws what the system says */
export function noteScreen(
	{ paths }: Workspace,
	{ task, worker }: WorkerAddress,
	shown: Omit<ShownScreen, 'version'>,
): void {
	const folder = HeldFolder.openBelow(paths.root, paths.task(task));
	try {
		const screens = folder?.make(basename(paths.screens(task)));
		try {
			const file = screens?.at(basename(paths.screen(task, worker)));
			if (file !== undefined) writeFileAtomicSync(file, jsonText({ ...shown, version: 1 }));
		} finally {
			screens?.close();
		}
	} finally {
		folder?.close();
	}
}

export async function shownScreens(workspace: Workspace, task: TaskName): Promise<ShownScreens> {
	const { paths } = workspace;
	workspace.refuseLinks(task);
	const byWorker = new Map<WorkerName, ShownScreen>();
	const problems: FileProblem[] = [];
	for (const name of await fileNames(paths.screens(task), ENDING)) {
		const worker = WorkerName.safeParse(basename(name, ENDING));
		if (!worker.success) continue;
		const file = paths.screen(task, worker.data);
		await readOrReport(problems, file, async () => {
			const shown = await readJsonFile(file, ShownScreen);
			if (shown) byWorker.set(worker.data, shown);
		});
	}
	return { byWorker, problems };
}
