import { existsSync } from 'node:fs';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theWorker } from '../../core/workspace/named.ts';
import { identify, liveness } from '../../base/liveness.ts';
import { sha256 } from '../../base/sha256.ts';
import { writtenSettings } from '../../core/asker/writtenSettings.ts';
import { requirePlace } from '../../core/delegates/requirePlace.ts';
import { isStanding } from '../../core/delegates/inWorktree.ts';
import type { FoundAgent } from '../../core/driver/foundAgent.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { TaskWorktrees, type TaskWorktree } from '../../core/worktrees/taskWorktrees.ts';
import { worktreeFolder } from '../../git/homeCheckout.ts';
import { provenWorktree } from '../../git/ownWorktree.ts';
import { tipOf } from '../../git/openWorktree.ts';
import { RUN_MARK, stopMarked } from '../../process/marked.ts';
import { requireRepository, type Repository } from '../../git/repository.ts';
import { setUp } from '../../git/setUp.ts';
import { clearUnfinished, createWorktree, folderInWorktree } from '../../git/worktree.ts';
import { removeWorktree } from '../../git/worktreeRemove.ts';
import { putIgnored } from '../../git/worktreeInclude.ts';
import type { TaskName, WorkerName } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { branchOf, idOfBranch, WorktreeName, type Worktree } from '../../protocol/worktree.ts';
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
 * Makes a worktree for a new worker, with the user's set-up command. Nothing of it stays if that fails.
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
	await clearLeft(workspace);
	const name = await askForName(task, repository, workspace);
	const worktree = await createWorktree({ folder, name, withChanges, copyIncludes: true });
	try {
		// The user's rules for this folder, also those that deny.
		const rules = await writtenSettings({ dataFolder, workspaceFolder: folder }, driver, folder);
		await putIgnored(folder, worktree.folder, rules);
		const { worktreeSetUp } = await context.readSettings(folder);
		await setUp(worktree, worktreeSetUp, { mark: markOf(repository.root, name) });
		return { worktree, cwd: await folderInWorktree(worktree, folder) };
	} catch (error) {
		// Made a moment ago, and no agent was started there.
		await removeAndForget(worktree, name, workspace, true);
		throw error;
	}
}

/**
 * Removes what kills have left, for any task: a worktree in which no agent was started, and whose maker is gone. A set-up command that goes
 * on there is ended. Should there be work in it, its branch keeps that. What cannot be removed now waits for the next call.
 */
export async function clearLeft(workspace: Workspace): Promise<void> {
	for (const left of await new TaskWorktrees(workspace.own).all()) {
		if (!isLeft(left)) continue;
		await stopMarked(RUN_MARK, markOf(left.repository, left.name));
		await clear(left, workspace).catch(() => undefined);
	}
}

/** A kill has left it: no agent was started there, and its maker is gone. */
export function isLeft({ workers, by }: TaskWorktree): boolean {
	return workers.length === 0 && liveness(by) === 'dead';
}

async function clear({ name, repository }: TaskWorktree, workspace: Workspace): Promise<void> {
	await clearUnfinished(repository, name);
	const { head } = await requireRepository(repository);
	// If the worktree is there, git itself tells the base: see provenWorktree.
	const claimed = { repository, folder: worktreeFolder(repository, name), branch: branchOf(name), base: head };
	await removeAndForget(await provenWorktree(claimed, repository), name, workspace, false);
}

/** The mark of its set-up command. No delegate has such an id. */
export function markOf(repository: string, name: WorktreeName): string {
	return `worktree/${sha256(repository).slice(0, 16)}/${name}`;
}

async function removeAndForget(
	worktree: Worktree,
	name: WorktreeName,
	workspace: Workspace,
	discard: boolean,
): Promise<void> {
	const { isRemoved } = await removeWorktree(worktree, { discard });
	if (isRemoved) await new TaskWorktrees(workspace.own).forget(name);
}

/** Seals that the worker works there, before its agent starts. */
export function handOver({ branch }: Worktree, worker: WorkerName, { workspace }: OperationContext): Promise<void> {
	return new TaskWorktrees(workspace.own).handTo(WorktreeName.parse(idOfBranch(branch)), worker);
}

/**
 * The worktree that a worker worked in, to go on there.
 * @throws NancyError `not-trusted` for one that is not this worker's, or if its record names its own no more; `git` once it was removed
 */
export async function worktreeAgain(record: WorkerRecord, context: OperationContext): Promise<PlaceThere | undefined> {
	const { worktree: claimed } = record;
	const worktrees = new TaskWorktrees(context.workspace.own);
	const who = theWorker({ task: record.task, worker: record.name });
	if (!claimed) {
		const handed = (await worktrees.ofTask(record.task)).find(({ workers }) => workers.includes(record.name));
		if (!handed) return undefined;
		// An agent may have taken it out of the record, to be started in the folder itself.
		throw new NancyError(
			'not-trusted',
			phrase`the record of ${who} does not name the worktree that Nancy made for it; start another worker`,
		);
	}
	const { folder, branch } = claimed;
	if (!isStanding(claimed))
		throw new NancyError(
			'git',
			phrase`${folder} is gone; what was kept of it is on the branch ${branch}. Start another worker`,
		);
	if (!worktrees.ofWorkerSync(record))
		throw new NancyError(
			'not-trusted',
			phrase`${folder} is not the worktree that Nancy made for ${who}; start another worker`,
		);
	const worktree = await ownWorktreeOf(context, claimed);
	return { worktree, cwd: await folderInWorktree(worktree, context.workspace.folder) };
}

/** Readable, and not used by anybody: `fix-login`, `fix-login-2`, … */
async function askForName(task: TaskName, { checkout, root }: Repository, workspace: Workspace): Promise<WorktreeName> {
	const worktrees = new TaskWorktrees(workspace.own);
	const asked = { task, repository: root, by: identify(process.pid) };
	const plain = task.replaceAll('.', '-');
	for (let count = 1; ; count++) {
		const name = WorktreeName.parse(count === 1 ? plain : `${plain}-${count}`);
		const isTaken = existsSync(worktreeFolder(root, name)) || (await tipOf(checkout, branchOf(name))) !== undefined;
		if (!isTaken && (await worktrees.ask(name, asked))) return name;
	}
}
