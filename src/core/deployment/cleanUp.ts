import { NancyError } from '../../base/errors.ts';
import type { DriverId, TaskName } from '../../protocol/names.ts';
import type { Driver } from '../driver.ts';
import { isRunning } from '../launch.ts';
import type { Workspace } from '../workspace.ts';
import { unknownWriter } from './places.ts';
import { showToGit, type AskGit } from './gitExclude.ts';
import { undeploy, type TakenBack } from './undeploy.ts';
import { filesWithEntries, undeployUnrecorded } from './unrecorded.ts';

export interface CleanUpResult extends TakenBack {
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
		if (await hasOpenTask(workspace)) return { changed: [], warnings: [], kept: [], undeployed: false };
	}
	const done: Record<'changed' | 'warnings' | 'kept', string[]> = { changed: [], warnings: [], kept: [] };
	const recorded = (await workspace.config()).deployments.map(({ driver }) => driver);
	for (const id of recorded) {
		const driver = drivers.find(each => each.id === id) ?? unknownWriter(id);
		const { changed, warnings, kept } = await undeploy(workspace, driver, () => isBusy(id), askGit);
		done.changed.push(...changed);
		done.warnings.push(...warnings);
		done.kept.push(...kept);
	}
	for (const driver of drivers.filter(({ id }) => !recorded.includes(id))) {
		const { changed, warnings } = await undeployUnrecorded(workspace, driver, () => isBusy(driver.id));
		done.changed.push(...changed);
		done.warnings.push(...warnings);
	}
	// Also what a kill or a removed record has left there.
	done.warnings.push(...(await showToGit(workspace, askGit)));
	return { ...done, undeployed: true };
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
