import { existsSync } from 'node:fs';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theTask } from '../core/workspace/named.ts';
import { permit } from '../core/asker/permit.ts';
import { isRunning } from '../core/workspace/workerLife.ts';
import { deleteTask, wasRemovedByHand } from '../core/sessions/deletion.ts';
import { startedFor } from '../core/sessions/sealedAgents.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { TaskWorktrees } from '../core/worktrees/taskWorktrees.ts';
import { worktreeFolder } from '../git/homeCheckout.ts';
import { TaskName } from '../protocol/names.ts';
import { TasksDeletedOutput } from '../protocol/output/tasks.ts';
import { forgetSnapshots } from './shared/taskSnapshot.ts';
import { clearLeft, isLeft } from './shared/taskWorktree.ts';
import type { Operation } from './operation.ts';
import { refuseUnread } from './shared/refuseUnread.ts';

const Input = z.object({ tasks: z.array(TaskName) });

/** Deletes tasks with their messages. If one of several may not be deleted, none is. */
export const deleteTasks: Operation<z.infer<typeof Input>, z.infer<typeof TasksDeletedOutput>> = {
	name: 'deleteTasks',
	input: Input,
	output: TasksDeletedOutput,
	async permit(asker, { tasks }, { workspace }) {
		permit(asker, { is: 'change-tasks', what: 'delete' });
		for (const task of tasks) {
			await refuseRunning(workspace, task);
			await refuseWorktrees(workspace, task);
		}
	},
	async run(_, { tasks }, { workspace }) {
		await clearLeft(workspace);
		const worktrees = new TaskWorktrees(workspace.own);
		for (const task of tasks) {
			// A worker may have been started since it was permitted.
			await refuseRunning(workspace, task);
			await refuseWorktrees(workspace, task);
			// What could not be cleared is known until it can.
			for (const each of await worktrees.ofTask(task)) if (!isLeft(each)) await worktrees.forget(each.name);
			await forgetSnapshots(workspace, [task]);
			await deleteTask(workspace, task);
		}
		return { deleted: tasks };
	},
};

async function refuseRunning(workspace: Workspace, task: TaskName): Promise<void> {
	const { own, folder } = workspace;
	const busy = () =>
		new NancyError('busy', phrase`an agent of ${theTask(task)} runs; stop it first: ${`nancy stop ${task}`}`);
	// An agent can take its process out of its record, or move the task's folder away.
	if (startedFor(own.dataFolder, { folder, task }).length > 0) throw busy();
	if (wasRemovedByHand(workspace, task)) return;
	await workspace.task(task);
	const { workers, problems } = await workspace.workers(task);
	refuseUnread(problems);
	if (workers.some(isRunning)) throw busy();
}

/** Work that only a worktree has must not become nobody's. What an agent has made of the task's records does not matter. */
async function refuseWorktrees({ own }: Workspace, task: TaskName): Promise<void> {
	const made = (await new TaskWorktrees(own).ofTask(task)).filter(each => !isLeft(each));
	const folders = made.map(each => worktreeFolder(each.repository, each.name));
	const standing = folders.find(folder => existsSync(folder));
	if (standing !== undefined)
		throw new NancyError('busy', phrase`${theTask(task)} has the worktree ${standing}; merge or discard it first`);
}
