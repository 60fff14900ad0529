import * as z from 'zod/mini';
import { hasCode, NancyError } from '../base/errors.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import type { Asker } from '../core/asker/asker.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { permit } from '../core/asker/permit.ts';
import { Budgets } from '../core/budgets/budgets.ts';
import { planWorker, refuseLongPrompt } from '../core/start/launch.ts';
import type { FoundAgent } from '../core/driver/foundAgent.ts';
import { abandonStart } from '../core/start/workerProcess.ts';
import type { Driver } from '../core/driver/driver.ts';
import { isTalkedWith, refuseUnhooked } from '../core/driver/talkedWith.ts';
import { promptOfAgent } from '../core/driver/promptOfAgent.ts';
import { noteChosenAgent } from '../core/workspace/chosenAgent.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { ORCHESTRATOR, TaskName, WorkerName, type DriverId } from '../protocol/names.ts';
import type { TaskRecord } from '../protocol/records.ts';
import { compileNotes } from './shared/compiledNotes.ts';
import { deployAgent } from './shared/deployEach.ts';
import { hasHooks, keepSettings } from './shared/hooksChoice.ts';
import { noteSeen } from './shared/noteSeen.ts';
import type { Operation, OperationContext } from './operation.ts';
import { restored } from './restoreTask.ts';
import { handOver, makeWorktree } from './shared/taskWorktree.ts';
import { noteTaskChoice } from './shared/taskAgent.ts';
import { beginSnapshot } from './shared/taskSnapshot.ts';
import { isWorktree, startOf, StartRequest, type Start } from './shared/startRequest.ts';
import { permitStart, refuseModules, refuseExtraFromAgent, settingsToSee, type Asking } from './shared/starting.ts';

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
export const orchestrate: Operation<StartRequest, Output, OperationContext, Start> = {
	name: 'orchestrate',
	input: StartRequest,
	output: Output,
	async permit(asker, input, context) {
		if (input.worker === ORCHESTRATOR)
			throw new NancyError('bad-name', phrase`the human is no worker; choose another name`);
		await refuseTracked(context.workspace);
		refuseLongPrompt(firstPrompt(asker, input.prompt));
		if (input.budget) permit(asker, { is: 'set-budget', what: 'a task' });
		if (asker.is === 'human') return startOf(asker, input, context);
		refuseFromAgent(asker, input);
		const own = ownAddress(asker);
		const isOwn = own?.task === input.task && input.worker === undefined && !input.resume;
		permit(asker, { is: 'start-worker', what: input.task, isOwn });
		const { workspace } = context;
		const start = await startOf(asker, input, context);
		const { driver } = start.found;
		const asking = { asker, context, settings: await context.readSettings(workspace.folder) };
		await permitStart(driver, workspace.folder, asking);
		refuseModules(driver, asking);
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
		refuseUnhooked(driver, isHooked);
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
		const { terminalHost } = await context.readSettings(workspace.folder);
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
			isWatched: terminalHost === 'watched',
			isTalkedWith: terminalHost === 'conversation',
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

/** @throws NancyError `not-trusted` for what a person alone may ask of a start */
function refuseFromAgent(asker: Asker, { place, hooks, images = [], permissions, mcp, fork }: StartRequest): void {
	const refuse = (is: boolean, why: Phrase) => {
		if (is) throw new NancyError('not-trusted', why);
	};
	refuse(
		isWorktree(place),
		phrase`an agent starts workers in the workspace folder; delegate with --worktree, or ask the user`,
	);
	refuse(!hooks, phrase`an agent starts no other without hooks: no halt would reach it`);
	for (const file of images) permit(asker, { is: 'prompt-file', file });
	refuse(permissions !== undefined, phrase`an agent chooses no permissions for a terminal; ask the user to do it`);
	refuse(mcp === true, phrase`an agent gives no other an MCP server; ask the user to do it`);
	refuse(fork === true, phrase`an agent forks no conversation; ask the user to do it`);
}

/** Whether the user wants an agent's questions answered in Nancy, where that is a choice. */
async function takesAnswers(driver: Driver, { workspace, readSettings }: OperationContext): Promise<boolean> {
	if (driver.answersByChoice === 'none') return false;
	if (isTalkedWith(driver)) return true;
	const { answers = {} } = await readSettings(workspace.folder);
	return answers[driver.id] === true;
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

/** Where the worker works, if not in the workspace folder. Makes the worktree of a new one. */
async function placeOf(
	{ task, place }: StartRequest,
	found: FoundAgent,
	again: Start['again'],
	context: OperationContext,
): Promise<Start['again']> {
	if (again || !isWorktree(place)) return again;
	return makeWorktree(task, place === 'worktreeWithChanges', found, context);
}

/** `false` if somebody else has just made the task. Then it gets another worker, as an earlier task does. */
async function createTask(
	workspace: Workspace,
	{ task: name, title = name, prompt = '', isNew }: StartRequest,
	agent: DriverId,
): Promise<boolean> {
	const createdAt = new Date().toISOString();
	const record: TaskRecord = { version: 1, name, title, prompt, agent, createdAt, origin: 'nancy' };
	try {
		await workspace.createTask(record);
		return true;
	} catch (error) {
		if (isNew || !hasCode(error, 'task-exists')) throw error;
		return false;
	}
}
