import { NancyError } from '../base/errors.ts';
import type { Overview } from '../core/overview.ts';
import type { Ask } from '../core/prober.ts';
import type { Workspace } from '../core/workspace.ts';
import type { Context } from './command.ts';
import { Pause } from './pause.ts';

type Environment = Context['env'];

/** Everything about a workspace as it is now. */
export async function currentOverview(workspace: Workspace, env: Environment): Promise<Overview> {
	const [{ readOverview }, { drivers }] = await loadModel();
	return readOverview(workspace, drivers, askWith(env));
}

/**
 * Waits until `check` finds something in the overview, looking again at each change of the workspace.
 * @returns what it found, or `undefined` when the deadline came first
 */
export async function whenever<T>(
	workspace: Workspace,
	env: Environment,
	deadlineMs: number,
	check: (overview: Overview) => Promise<T | undefined>,
): Promise<T | undefined> {
	const [{ WorkspaceModel }, { drivers }] = await loadModel();
	const model = new WorkspaceModel(workspace, drivers, { ask: askWith(env) });
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

/** Asks the agent CLI itself where no event tells (an interrupted turn, a refused permission). */
function askWith(env: Environment): Ask {
	return async driver => {
		const [{ askStatus }, { onPath }] = await Promise.all([
			import('../process/askStatus.ts'),
			import('../process/detect.ts'),
		]);
		const executable = onPath(driver.command, env);
		if (executable === undefined) throw new NancyError('no-agent', `there is no "${driver.command}" on the PATH`);
		return askStatus(driver, executable, env);
	};
}

/** Loaded only where it is used: agents call the other commands often. */
function loadModel() {
	return Promise.all([import('../core/model.ts'), import('../drivers/index.ts')]);
}
