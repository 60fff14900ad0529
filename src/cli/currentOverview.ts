import { NancyError } from '../base/errors.ts';
import { isAsking, type Overview } from '../core/live/overview.ts';
import type { Ask } from '../core/sessions/prober.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import type { DriverId } from '../protocol/names.ts';
import type { Context } from './command.ts';
import { Pause } from './pause.ts';

type Environment = Context['env'];

/** Everything about a workspace as it is now. */
export async function currentOverview(workspace: Workspace, env: Environment): Promise<Overview> {
	const [{ readOverview }, { drivers }] = await loadModel();
	return readOverview(workspace, drivers, { ask: askWith(env) });
}

/**
 * Waits until `check` finds something in the overview. Looks again at each change of the workspace.
 * @returns the finding, or `undefined` if the deadline came first
 */
export async function whenever<T>(
	workspace: Workspace,
	env: Environment,
	deadlineMs: number,
	check: (overview: Overview) => Promise<T | undefined>,
): Promise<T | undefined> {
	return live(workspace, env, async (overview, pause) => {
		for (;;) {
			const found = await check(overview());
			if (found !== undefined || Date.now() >= deadlineMs) return found;
			await pause.take(deadlineMs);
		}
	});
}

/** How long a command waits for a person to answer an agent before it gives up, in milliseconds. */
const PATIENCE_MS = 5000;

/**
 * Runs work that writes agents' settings files. An agent may be writing the same file while a person answers it, so a `busy` failure is
 * retried for a while.
 */
export async function betweenAnswers<T>(
	workspace: Workspace,
	{ env, note }: Pick<Context, 'env' | 'note'>,
	work: (isBusy: (agent: DriverId) => boolean) => Promise<T>,
): Promise<T> {
	return live(workspace, env, async (overview, pause) => {
		const deadlineMs = Date.now() + PATIENCE_MS;
		for (let isFirst = true; ; isFirst = false) {
			let wasBusy = false;
			try {
				return await work(agent => {
					const isBusy = isAsking(overview(), agent);
					wasBusy ||= isBusy;
					return isBusy;
				});
			} catch (error) {
				const mayPass = wasBusy && error instanceof NancyError && error.code === 'busy';
				if (!mayPass || Date.now() >= deadlineMs) throw error;
				if (isFirst) note('an agent waits for an answer in its terminal; trying again for a few seconds');
			}
			await pause.take(deadlineMs);
		}
	});
}

/** Runs `work` with an overview while the workspace is unchanged. The pause ends at a change. */
async function live<T>(
	workspace: Workspace,
	env: Environment,
	work: (overview: () => Overview, pause: Pause) => Promise<T>,
): Promise<T> {
	const [{ WorkspaceModel }, { drivers }] = await loadModel();
	const model = new WorkspaceModel(workspace, drivers, { ask: askWith(env) });
	const pause = new Pause();
	model.onDidChange(() => pause.end());
	try {
		await model.refresh();
		return await work(() => model.overview(), pause);
	} finally {
		await model.close();
	}
}

/** Asks the agent CLI itself if no event tells (an interrupted turn, a refused permission). */
function askWith(env: Environment): Ask {
	return async driver => {
		const [{ askStatus }, { locateAgent, programVariable }] = await Promise.all([
			import('../process/askStatus.ts'),
			import('../process/detect.ts'),
		]);
		const executable = locateAgent(driver, env[programVariable(driver.id)], env);
		if (executable === undefined) throw new NancyError('no-agent', `there is no ${driver.displayName}`);
		return askStatus(driver, executable, env);
	};
}

/** Loaded only where it is used: agents call the other commands often. */
function loadModel() {
	return Promise.all([import('../core/live/model.ts'), import('../drivers/index.ts')]);
}
