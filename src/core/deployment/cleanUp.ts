import { NancyError } from '../../base/errors.ts';
import type { DriverId, TaskName } from '../../protocol/names.ts';
import type { Driver } from '../driver.ts';
import { isRunning } from '../launch.ts';
import type { Workspace } from '../workspace.ts';
import { unknownWriter } from './places.ts';
import { undeploy, type DeployResult } from './deploy.ts';
import { showToGit, type AskGit } from './gitExclude.ts';
import { filesWithEntries, undeployUnrecorded } from './unrecorded.ts';

export interface CleanUpResult extends DeployResult {
	/** False when hooks and skills stay because another task needs them. */
	undeployed: boolean;
}

/**
 * Takes back what was deployed: for the whole workspace, or after one task, which is archived; then only when no other task
 * needs it. Messages and records stay. Entries are found even where their record was removed with `.nancy`. Throws `busy` while an
 * agent runs that would go deaf.
 * @param isBusy whether an agent may be writing its settings itself
 */
export async function cleanUp(
	workspace: Workspace,
	task: TaskName | undefined,
	drivers: readonly Driver[],
	isBusy: (agent: DriverId) => boolean = () => false,
	askGit?: AskGit,
): Promise<CleanUpResult> {
	await refuseRunning(workspace, task);
	if (task !== undefined) {
		await workspace.updateTask(task, record => ({ archivedAt: new Date().toISOString(), ...record }));
		if (await hasOpenTask(workspace)) return { changed: [], warnings: [], undeployed: false };
	}
	const changed: string[] = [];
	const warnings: string[] = [];
	const recorded = (await workspace.config()).deployments.map(({ driver }) => driver);
	const unrecorded = drivers.filter(({ id }) => !recorded.includes(id));
	for (const run of [
		...recorded.map(
			id => () =>
				undeploy(
					workspace,
					drivers.find(each => each.id === id) ?? unknownWriter(id),
					() => isBusy(id),
					askGit,
				),
		),
		...unrecorded.map(driver => () => undeployUnrecorded(workspace, driver, () => isBusy(driver.id))),
	]) {
		const result = await run();
		changed.push(...result.changed);
		warnings.push(...result.warnings);
	}
	// Also what a kill or a removed record has left there.
	warnings.push(...(await showToGit(workspace, askGit)));
	return { changed, warnings, undeployed: true };
}

async function refuseRunning(workspace: Workspace, task: TaskName | undefined): Promise<void> {
	const { tasks } = await workspace.tasks();
	// A session that the user started alone must not keep the user from taking Nancy away.
	const own = tasks.filter(({ name, origin }) => (task === undefined ? origin === 'nancy' : name === task));
	for (const { name } of own) {
		const running = (await workspace.workers(name)).workers.find(isRunning);
		if (!running) continue;
		const worker = `${name}/${running.name}`;
		throw new NancyError('busy', `${worker} is running; end it first: nancy stop ${worker}`);
	}
}

/** A session that Nancy only found keeps nothing deployed once it has ended. */
async function hasOpenTask(workspace: Workspace): Promise<boolean> {
	for (const { name, origin, archivedAt } of (await workspace.tasks()).tasks) {
		if (archivedAt === undefined && origin === 'nancy') return true;
		if ((await workspace.workers(name)).workers.some(isRunning)) return true;
	}
	return false;
}

/** Whether a folder holds entries of Nancy's for any of these agents, with or without a record of them. */
export async function isDeployedIn(workspace: Workspace, drivers: readonly Driver[]): Promise<boolean> {
	for (const driver of drivers) {
		// A file that nobody can read tells nothing; whoever edits it says what is wrong with it.
		if ((await filesWithEntries(workspace, driver).catch(() => [])).length > 0) return true;
	}
	return false;
}
