import * as z from 'zod/mini';
import { hasCode, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { requirePlace } from '../../core/delegates/requirePlace.ts';
import { imageFlags } from '../../core/driver/imageFlags.ts';
import type { FoundAgent } from '../../core/driver/foundAgent.ts';
import { AS_SETTINGS_SAY, modeFlags } from '../../core/driver/modeFlags.ts';
import { refuseFork, refuseResume, workerToResume } from '../../core/start/resuming.ts';
import { chosenMode } from '../../core/workspace/chosenAgent.ts';
import { theTask } from '../../core/workspace/named.ts';
import { taskExists, type Workspace } from '../../core/workspace/workspace.ts';
import { Budget } from '../../protocol/budget.ts';
import { TaskName, WorkerName } from '../../protocol/names.ts';
import type { TaskRecord } from '../../protocol/records.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { OperationContext } from '../operation.ts';
import { chooseAgent } from './agents.ts';
import { requireTold, unitsWith } from './budgetUnits.ts';
import { chosenBefore } from './taskAgent.ts';
import { requireWorktree, worktreeAgain } from './taskWorktree.ts';
import { refuseModel } from './starting.ts';

const Text = z.optional(z.string());

/** What is asked of the start of an agent in a terminal. */
export const StartRequest = z.object({
	task: TaskName,
	/** The title of the task if it has to be made. Without a title the task must be there. */
	title: Text,
	/** Refuses a task that is there already. Without it such a task gets another worker. */
	isNew: z.boolean(),
	/** By default the one that a person chose for the resumed worker or the task. For a new task as {@link chooseAgent} chooses. */
	agent: Text,
	/** By default a new worker, or the one that ran last if its conversation goes on. One that ran before works where it worked. */
	worker: z.optional(WorkerName),
	/** Goes on with the worker's last conversation, where it worked before. */
	resume: z.boolean(),
	/** Where a new worker works: the workspace folder by default, or a git worktree of its own, with the uncommitted changes if wanted. */
	place: z.optional(z.enum(['folder', 'worktree', 'worktreeWithChanges'])),
	/** A new worker begins with a copy of the last conversation of `worker`, or of the one that ran last. */
	fork: z.optional(z.boolean()),
	/** The first prompt; empty for an agent that waits for the user. */
	prompt: Text,
	model: Text,
	/**
	 * What it may do unasked in its terminal: one of its CLI's modes, or {@link AS_SETTINGS_SAY}. A person's alone to choose. By default what a conversation that goes
	 * on had, or what the CLI's settings say.
	 */
	permissions: Text,
	/** Files for the first prompt, absolute. */
	images: z.optional(z.array(z.string())),
	/** Arguments for the agent's CLI. */
	extra: z.array(z.string()),
	/** Writes hooks and skills, if the user wants hooks here. Without them the agent reports nothing and gets no messages. */
	hooks: z.boolean(),
	/** It gets Nancy's MCP server, if its CLI takes one at a launch. A person's alone to choose. */
	mcp: z.optional(z.boolean()),
	/** What the whole task may take, in place of an earlier budget. A person's alone to set. */
	budget: z.optional(Budget),
});
export type StartRequest = z.infer<typeof StartRequest>;

/** What a start comes to, as it is known before anything is written. */
export interface Start {
	found: FoundAgent;
	/** The record of a task that is there. */
	known: TaskRecord | undefined;
	/** The worktree that the worker worked in, or the one whose conversation is copied. */
	again: { worktree: Worktree; cwd: string } | undefined;
	/** The worker whose conversation is copied. */
	source: WorkerName | undefined;
	/** What it may do unasked; `undefined` leaves that to the settings of its CLI. */
	mode: string | undefined;
}

/** Throws if the agent cannot be started. */
export async function startOf(
	asker: Asker,
	{
		task,
		title,
		isNew,
		resume,
		fork,
		worker,
		agent,
		place,
		budget,
		prompt,
		model,
		permissions,
		images = [],
		extra,
	}: StartRequest,
	context: OperationContext,
): Promise<Start> {
	const { workspace } = context;
	if (resume && fork) throw new NancyError('bad-usage', phrase`--resume and --fork exclude each other`);
	if ((resume || fork) && isWorktree(place))
		throw new NancyError(
			'bad-usage',
			phrase`only a new worker gets a worktree; a conversation goes on where it was`,
		);
	const mustExist = resume || fork || title === undefined;
	const known = mustExist ? await workspace.task(task) : await existingTask(workspace, task);
	if (isNew && known) throw taskExists(task);
	const earlier = resume || fork ? await workerToResume(workspace, task, worker) : undefined;
	const found = await chooseAgent(
		asker,
		context,
		agent ?? (known && (await chosenBefore(asker, workspace, known, earlier))),
	);
	if (earlier) (fork ? refuseFork : refuseResume)(found.driver, found.agent.version, earlier);
	if (budget) requireTold(budget, await unitsWith(found.driver.id, known, context), theTask(task));
	if (isWorktree(place)) await requireWorktree(found, context);
	const before = earlier ?? (known && worker && (await workspace.worker({ task, worker })));
	const again = before && (await worktreeAgain(before, context));
	const { folder } = workspace;
	if (again) requirePlace(found.driver, found.agent.version, { folder, isInWorktree: true }, folder);
	const chosen =
		permissions ?? (earlier && (await chosenMode(workspace, { task, worker: earlier.name }, found.driver.id)));
	const mode = chosen === AS_SETTINGS_SAY ? undefined : chosen;
	refuseModel(found.driver, model);
	modeFlags(found.driver, mode, extra);
	imageFlags(found.driver, images, prompt);
	return { found, known, again, source: fork ? earlier?.name : undefined, mode };
}

/** An unreadable record is no reason to make the task anew. */
async function existingTask(workspace: Workspace, name: TaskName): Promise<TaskRecord | undefined> {
	try {
		return await workspace.task(name);
	} catch (error) {
		if (hasCode(error, 'no-task')) return undefined;
		throw error;
	}
}

export function isWorktree(place: StartRequest['place']): boolean {
	return place !== undefined && place !== 'folder';
}
