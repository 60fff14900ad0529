import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { requirePlace } from '../core/delegates/requirePlace.ts';
import { theTask } from '../core/workspace/named.ts';
import type { Asker } from '../core/asker/asker.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { permit } from '../core/asker/permit.ts';
import { Budgets } from '../core/budgets/budgets.ts';
import { planWorker, refuseLongPrompt, type FoundAgent } from '../core/driver/launch.ts';
import { imageFlags } from '../core/driver/imageFlags.ts';
import { AS_SETTINGS_SAY, modeFlags } from '../core/driver/modeFlags.ts';
import { abandonStart } from '../core/driver/workerProcess.ts';
import type { Driver } from '../core/driver/driver.ts';
import { promptOfAgent } from '../core/driver/promptOfAgent.ts';
import { refuseFork, refuseResume, workerToResume } from '../core/driver/resuming.ts';
import { chosenMode, noteChosenAgent } from '../core/workspace/chosenAgent.ts';
import { taskExists, type WorkerAddress, type Workspace } from '../core/workspace/workspace.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { Budget } from '../protocol/budget.ts';
import { ORCHESTRATOR, TaskName, WorkerName, type DriverId } from '../protocol/names.ts';
import type { TaskRecord } from '../protocol/records.ts';
import { chooseAgent } from './shared/agents.ts';
import { requireTold, unitsWith } from './shared/budgetUnits.ts';
import { compileNotes } from './shared/compiledNotes.ts';
import { deployAgent } from './shared/deployEach.ts';
import { hasHooks, keepSettings } from './shared/hooksChoice.ts';
import { noteSeen } from './shared/noteSeen.ts';
import type { Operation, OperationContext } from './operation.ts';
import { restored } from './restoreTask.ts';
import { handOver, makeWorktree, requireWorktree, worktreeAgain } from './shared/taskWorktree.ts';
import { chosenBefore, noteTaskChoice } from './shared/taskAgent.ts';
import { beginSnapshot } from './shared/taskSnapshot.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { permitStart, refuseExtraFromAgent, settingsToSee, type Asking } from './shared/starting.ts';

const Text = z.optional(z.string());

const Input = z.object({
	task: TaskName,
	/** Of the task if it has to be made. Without a title the task must be there. */
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
type Input = z.infer<typeof Input>;

/** The process to start. The owner of its terminal starts it and calls `recordProcess`. */
const Output = z.object({
	address: z.object({ task: TaskName, worker: WorkerName }),
	command: z.string(),
	args: z.array(z.string()),
	/** On top of the inherited environment; `null` means remove. */
	env: z.record(z.string(), z.nullable(z.string())),
	cwd: z.string(),
	hasHooks: z.boolean(),
	warnings: z.array(z.string()),
});
type Output = z.infer<typeof Output>;

/**
 * Prepares an agent for a terminal: makes the task if needed, writes hooks and skills, and records the worker. Nothing is written if the
 * agent cannot be started, and no task is made if the settings of its CLI cannot be written.
 */
export const orchestrate: Operation<Input, Output, OperationContext, Start> = {
	name: 'orchestrate',
	input: Input,
	output: Output,
	async permit(asker, input, context) {
		if (input.worker === ORCHESTRATOR)
			throw new NancyError('bad-name', phrase`the human is no worker; choose another name`);
		await refuseTracked(context.workspace);
		refuseLongPrompt(firstPrompt(asker, input.prompt));
		if (input.budget) permit(asker, { is: 'set-budget', what: 'a task' });
		if (asker.is === 'human') return startOf(asker, input, context);
		if (isWorktree(input.place))
			throw new NancyError(
				'not-trusted',
				phrase`an agent starts workers in the workspace folder; delegate with --worktree, or ask the user`,
			);
		if (!input.hooks)
			throw new NancyError('not-trusted', phrase`an agent starts no other without hooks: no halt would reach it`);
		const own = ownAddress(asker);
		const isOwn = own?.task === input.task && input.worker === undefined && !input.resume;
		for (const file of input.images ?? []) permit(asker, { is: 'prompt-file', file });
		if (input.permissions !== undefined)
			throw new NancyError(
				'not-trusted',
				phrase`an agent chooses no permissions for a terminal; ask the user to do it`,
			);
		if (input.mcp)
			throw new NancyError('not-trusted', phrase`an agent gives no other an MCP server; ask the user to do it`);
		if (input.fork)
			throw new NancyError('not-trusted', phrase`an agent forks no conversation; ask the user to do it`);
		permit(asker, { is: 'start-worker', what: input.task, isOwn });
		const { workspace } = context;
		const start = await startOf(asker, input, context);
		const { driver } = start.found;
		const asking = { asker, context, settings: await context.readSettings(workspace.folder) };
		await permitStart(driver, [workspace.folder], asking);
		refuseExtraFromAgent(driver, input.extra, asking);
		return start;
	},
	async run(asker, input, context, { found, known, again, source, mode }) {
		const { workspace } = context;
		const prompt = firstPrompt(asker, input.prompt);
		const { driver, agent } = found;
		const runtime = await context.installRuntime();
		await keepSettings(asker, context);
		const isHooked = input.hooks && (await hasHooks(context));
		if (!isHooked) refuseUnhooked(driver);
		const warnings = isHooked ? (await deployAgent(context, runtime, found, 'launch')).warnings : [];
		if (isHooked) await compileNotes(context);
		if (known?.archivedAt !== undefined) await workspace.updateTask(known.name, restored);
		if (asker.is === 'human') await noteTaskChoice(workspace, input.task, known, driver.id);
		// First, because a set-up command may fail: then no task is made.
		const place = await placeOf(input, found, again, context);
		// In a worktree the CLI reads what is committed there.
		if (!place) await noteSeen(asker, driver, context, workspace.folder);
		const isMade = !known && (await createTask(workspace, input, driver.id));
		// As late as possible: what Nancy has deployed is no change of the task's. Only the start that has made the task takes it.
		if (asker.is === 'human' && isMade && !place) await beginSnapshot(workspace, input.task);
		const task = known ?? (await workspace.task(input.task));
		const plan = await planWorker(workspace, driver, agent, {
			task: task.name,
			worker: source ? undefined : input.worker,
			fork: source,
			prompt,
			model: input.model,
			resume: input.resume,
			mode,
			images: input.images,
			takesAnswers: await takesAnswers(driver, context),
			isWatched: (await context.readSettings(workspace.folder)).terminalHost === 'watched',
			extra: input.extra,
			mcp: input.mcp,
			bin: runtime.bin,
			hooks: isHooked ? runtime : undefined,
			env: context.env,
			...place,
		});
		if (place) await handOver(place.worktree, plan.address.worker, context);
		if (asker.is === 'agent') {
			const settings = await context.readSettings(workspace.folder);
			await requireSeenStill(driver, plan.address, { asker, context, settings });
		}
		if (input.budget) await new Budgets(workspace.own).set({ task: task.name }, input.budget);
		const { address, command, args, env, cwd } = plan;
		if (asker.is === 'human') await noteChosenAgent(workspace, address, driver.id, mode);
		return { address, command, args: [...args], env: { ...env }, cwd, hasHooks: isHooked, warnings };
	},
};

/** @throws NancyError `wrong-state` for an agent that can do nothing in a terminal without Nancy's own program */
function refuseUnhooked({ displayName, namedBy }: Driver): void {
	if (namedBy !== 'user') return;
	throw new NancyError(
		'wrong-state',
		phrase`a program of Nancy talks with ${displayName}, and tells what it does as hooks do: it cannot be started without hooks (--no-hooks, or the setting nancy.hooks)`,
	);
}

/** @throws NancyError `bad-usage` where nobody knows how a model is named */
function refuseModel({ displayName, namedBy }: Driver, model: string | undefined): void {
	if (namedBy !== 'user' || model === undefined) return;
	throw new NancyError(
		'bad-usage',
		phrase`${displayName} takes no model from Nancy; name it in its own settings, or among its "args" in "agentServers"`,
	);
}

/** Whether the user wants an agent's questions answered in Nancy, where that is a choice. */
async function takesAnswers(
	{ id, namedBy, answersByChoice }: Driver,
	{ workspace, readSettings }: OperationContext,
): Promise<boolean> {
	if (answersByChoice === 'none') return false;
	if (namedBy === 'user') return true;
	const { answers = {} } = await readSettings(workspace.folder);
	return answers[id] === true;
}

/** Looks as late as possible: an agent may have written settings since it was permitted to start another one. */
async function requireSeenStill(driver: Driver, address: WorkerAddress, asking: Asking): Promise<void> {
	const settings = settingsToSee(driver, asking);
	try {
		await settings?.seen.require(driver);
	} catch (error) {
		await abandonStart(asking.context.workspace, address);
		throw error;
	}
}

/** `undefined` for an agent that waits for the user, or is woken by what waits for it. */
function firstPrompt(asker: Asker, given: string | undefined): string | undefined {
	if (given === undefined || given === '') return undefined;
	return asker.is === 'agent' ? promptOfAgent(given) : given;
}

interface Start {
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

function isWorktree(place: Input['place']): boolean {
	return place !== undefined && place !== 'folder';
}

/** Where the worker works, if not in the workspace folder. Makes the worktree of a new one. */
async function placeOf(
	{ task, place }: Input,
	found: FoundAgent,
	again: Start['again'],
	context: OperationContext,
): Promise<Start['again']> {
	if (again || !isWorktree(place)) return again;
	return makeWorktree(task, place === 'worktreeWithChanges', found, context);
}

/** Throws if the agent cannot be started. */
async function startOf(
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
	}: Input,
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
		if (error instanceof NancyError && error.code === 'no-task') return undefined;
		throw error;
	}
}

/** `false` if somebody else has just made the task. Then it gets another worker, as an earlier task does. */
async function createTask(
	workspace: Workspace,
	{ task: name, title = name, prompt = '', isNew }: Input,
	agent: DriverId,
): Promise<boolean> {
	const createdAt = new Date().toISOString();
	const record: TaskRecord = { version: 1, name, title, prompt, agent, createdAt, origin: 'nancy' };
	try {
		await workspace.createTask(record);
		return true;
	} catch (error) {
		if (isNew || !(error instanceof NancyError) || error.code !== 'task-exists') throw error;
		return false;
	}
}
