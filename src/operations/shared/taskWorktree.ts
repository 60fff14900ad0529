import { existsSync } from 'node:fs';
import { NancyError } from '../../base/errors.ts';
import { SeenSettings } from '../../core/asker/seenSettings.ts';
import { requirePlace } from '../../core/delegates/requirePlace.ts';
import { isStanding } from '../../core/delegates/inWorktree.ts';
import type { FoundAgent } from '../../core/driver/launch.ts';
import { TaskWorktrees } from '../../core/worktrees/taskWorktrees.ts';
import { worktreeFolder } from '../../git/homeCheckout.ts';
import { tipOf } from '../../git/openWorktree.ts';
import { requireRepository, type Repository } from '../../git/repository.ts';
import { setUp } from '../../git/setUp.ts';
import { createWorktree, folderInWorktree } from '../../git/worktree.ts';
import { putIgnored } from '../../git/worktreeInclude.ts';
import type { TaskName } from '../../protocol/names.ts';
import { branchOf, WorktreeName, type Worktree } from '../../protocol/worktree.ts';
import type { OperationContext } from '../operation.ts';
import { ownWorktreeOf } from './ownWorktreeOf.ts';

/** A worktree, and the folder of it that corresponds to the workspace. */
interface PlaceThere {
	worktree: Worktree;
	cwd: string;
}

/**
 * Refuses a worktree that cannot be made, before anything else is.
 * @throws NancyError `bad-usage` for an agent that works in the workspace folder alone, `git` with the cure
 */
export async function requireWorktree({ driver, agent }: FoundAgent, { workspace }: OperationContext): Promise<void> {
	const { folder } = workspace;
	requirePlace(driver, agent.version, { folder, isInWorktree: true }, folder);
	await requireRepository(folder);
}

/**
 * Makes a worktree for a new worker, with the user's set-up command. One that a kill has left without a worker is taken again.
 * @throws NancyError `git` with the cure; `io` if the set-up command failed
 */
export async function makeWorktree(
	task: TaskName,
	withChanges: boolean,
	{ driver }: FoundAgent,
	context: OperationContext,
): Promise<PlaceThere> {
	const { workspace, dataFolder } = context;
	const { folder } = workspace;
	const repository = await requireRepository(folder);
	const name = (await leftBy(task, context)) ?? (await askForName(task, repository, context));
	const worktree = await createWorktree({ folder, name, withChanges, copyIncludes: true });
	// The user's rules for this folder, also those that deny.
	const rules = await new SeenSettings(dataFolder, folder).written(driver, folder);
	await putIgnored(folder, worktree.folder, rules);
	const { worktreeSetUp } = await context.readSettings(folder);
	await setUp(worktree, worktreeSetUp);
	return { worktree, cwd: await folderInWorktree(worktree, folder) };
}

/**
 * The worktree that a worker worked in, to go on there.
 * @throws NancyError `not-trusted` for one that Nancy did not make; `git` once it was removed
 */
export async function worktreeAgain(claimed: Worktree, context: OperationContext): Promise<PlaceThere> {
	if (!isStanding(claimed))
		throw new NancyError(
			'git',
			`${claimed.folder} is gone; what was kept of it is on the branch ${claimed.branch}. Start another worker`,
		);
	const worktree = await ownWorktreeOf(context, claimed);
	return { worktree, cwd: await folderInWorktree(worktree, context.workspace.folder) };
}

/** A worktree that was asked for, and that no worker's record names: a start was broken off. */
async function leftBy(task: TaskName, { workspace }: OperationContext): Promise<WorktreeName | undefined> {
	const asked = await new TaskWorktrees(workspace.own).ofTask(task);
	const { workers } = await workspace.workers(task);
	return asked.find(({ name }) => workers.every(({ worktree }) => worktree?.branch !== branchOf(name)))?.name;
}

/** Readable, and not used by anybody: `fix-login`, `fix-login-2`, … */
async function askForName(
	task: TaskName,
	{ checkout, root }: Repository,
	{ workspace }: OperationContext,
): Promise<WorktreeName> {
	const worktrees = new TaskWorktrees(workspace.own);
	const plain = task.replaceAll('.', '-');
	for (let count = 1; ; count++) {
		const name = WorktreeName.parse(count === 1 ? plain : `${plain}-${count}`);
		const isTaken = existsSync(worktreeFolder(root, name)) || (await tipOf(checkout, branchOf(name))) !== undefined;
		if (!isTaken && (await worktrees.ask(name, task, { repository: root }))) return name;
	}
}
