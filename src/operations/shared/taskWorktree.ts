import { existsSync } from 'node:fs';
import { NancyError } from '../../base/errors.ts';
import { identify, liveness } from '../../base/liveness.ts';
import { SeenSettings } from '../../core/asker/seenSettings.ts';
import { requirePlace } from '../../core/delegates/requirePlace.ts';
import { isStanding } from '../../core/delegates/inWorktree.ts';
import type { FoundAgent } from '../../core/driver/launch.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { TaskWorktrees, type AskedWorktree } from '../../core/worktrees/taskWorktrees.ts';
import { worktreeFolder } from '../../git/homeCheckout.ts';
import { tipOf } from '../../git/openWorktree.ts';
import { requireRepository, type Repository } from '../../git/repository.ts';
import { setUp } from '../../git/setUp.ts';
import { createWorktree, folderInWorktree } from '../../git/worktree.ts';
import { removeWorktree } from '../../git/worktreeRemove.ts';
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
	const asked = { task, repository: repository.root, withChanges, by: identify(process.pid) };
	const name = (await leftBy(asked, workspace)) ?? (await askForName(asked, repository, workspace));
	const worktree = await createWorktree({ folder, name, withChanges, copyIncludes: true });
	try {
		// The user's rules for this folder, also those that deny.
		const rules = await new SeenSettings(dataFolder, folder).written(driver, folder);
		await putIgnored(folder, worktree.folder, rules);
		const { worktreeSetUp } = await context.readSettings(folder);
		await setUp(worktree, worktreeSetUp);
		return { worktree, cwd: await folderInWorktree(worktree, folder) };
	} catch (error) {
		// No agent has worked there.
		await removeWorktree(worktree, { discard: true });
		await new TaskWorktrees(workspace.own).forget(name);
		throw error;
	}
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

type Asked = Pick<AskedWorktree, 'task' | 'repository' | 'withChanges' | 'by'>;

/** A worktree that was asked for, and that no worker's record names: a kill has broken its start off. */
async function leftBy(asked: Asked, workspace: Workspace): Promise<WorktreeName | undefined> {
	const worktrees = new TaskWorktrees(workspace.own);
	const { workers } = await workspace.workers(asked.task);
	for (const { name, ...left } of await worktrees.ofTask(asked.task)) {
		const isUsed = workers.some(({ worktree }) => worktree?.branch === branchOf(name));
		const isAlike = left.withChanges === asked.withChanges && left.repository === asked.repository;
		if (isUsed || !isAlike || liveness(left.by) !== 'dead') continue;
		await worktrees.takeOver(name, { version: 1, ...asked });
		return name;
	}
	return undefined;
}

/** Readable, and not used by anybody: `fix-login`, `fix-login-2`, … */
async function askForName(asked: Asked, { checkout, root }: Repository, workspace: Workspace): Promise<WorktreeName> {
	const worktrees = new TaskWorktrees(workspace.own);
	const plain = asked.task.replaceAll('.', '-');
	for (let count = 1; ; count++) {
		const name = WorktreeName.parse(count === 1 ? plain : `${plain}-${count}`);
		const isTaken =
			existsSync(worktreeFolder(root, name)) || (await tipOf(checkout, branchOf(name))) !== undefined;
		if (!isTaken && (await worktrees.ask(name, asked))) return name;
	}
}
