import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { ModelOptions, WorkspaceModel } from '../../core/live/model.ts';
import type { Overview } from '../../core/live/overview.ts';
import type { Ask } from '../../core/live/prober.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { Caller } from './caller.ts';
import type { LiveOverview } from '../operation.ts';
import { Pause } from '../../base/pause.ts';

type Environment = Caller['env'];

/** Everything about a workspace as it is now. The model is loaded only here, because agents call the other commands often. */
export async function currentOverview(workspace: Workspace, env: Environment): Promise<Overview> {
	const [{ readOverview }, { allDrivers }] = await Promise.all([
		import('../../core/live/readOverview.ts'),
		import('../../drivers/index.ts'),
	]);
	return readOverview(workspace, allDrivers, { ask: askWith(env) });
}

/** Does something with an overview that stays as the workspace is. */
export async function watchWorkspace<T>(
	workspace: Workspace,
	env: Environment,
	work: (live: LiveOverview) => Promise<T>,
): Promise<T> {
	const model = await openModel(workspace, env);
	const pause = new Pause();
	model.onDidChange(() => pause.end());
	try {
		await model.refresh();
		return await work({ overview: () => model.overview(), changed: deadlineMs => pause.take(deadlineMs) });
	} finally {
		await model.close();
	}
}

/** A workspace, live. The caller closes it. */
export async function openModel(
	workspace: Workspace,
	env: Environment,
	more: Pick<ModelOptions, 'tickets'> = {},
): Promise<WorkspaceModel> {
	const [live, { allDrivers }] = await Promise.all([
		import('../../core/live/model.ts'),
		import('../../drivers/index.ts'),
	]);
	return new live.WorkspaceModel(workspace, allDrivers, { ask: askWith(env), ...more });
}

/** Asks the agent CLI itself if no event tells (an interrupted turn, a refused permission). An agent may look, too. */
function askWith(env: Environment): Ask {
	return async driver => {
		const [{ askStatus }, { locateAgent, programVariable }] = await Promise.all([
			import('../../process/askStatus.ts'),
			import('../../process/detect.ts'),
		]);
		const executable = locateAgent(driver, env[programVariable(driver.id)], env, 'agent');
		if (executable === undefined) throw new NancyError('no-agent', phrase`there is no ${driver.displayName}`);
		return askStatus(driver, executable, env);
	};
}
