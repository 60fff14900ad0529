import type { Overview } from '../core/overview.ts';
import type { Workspace } from '../core/workspace.ts';
import { Pause } from './pause.ts';

/** Everything about a workspace as it is now. */
export async function currentOverview(workspace: Workspace): Promise<Overview> {
	const [{ readOverview }, { drivers }] = await loadModel();
	return readOverview(workspace, drivers);
}

/**
 * Waits until `check` finds something in the overview, looking again at each change of the workspace.
 * @returns what it found, or `undefined` when the deadline came first
 */
export async function whenever<T>(
	workspace: Workspace,
	deadlineMs: number,
	check: (overview: Overview) => Promise<T | undefined>,
): Promise<T | undefined> {
	const [{ WorkspaceModel }, { drivers }] = await loadModel();
	const model = new WorkspaceModel(workspace, drivers);
	const pause = new Pause();
	model.onDidChange(() => pause.end());
	try {
		await model.refresh();
		for (;;) {
			const found = await check(model.overview());
			if (found !== undefined || Date.now() >= deadlineMs) return found;
			await pause.take(deadlineMs);
		}
	} finally {
		await model.close();
	}
}

/** Loaded only where it is used: agents call the other commands often. */
function loadModel() {
	return Promise.all([import('../core/model.ts'), import('../drivers/index.ts')]);
}
