import * as z from 'zod/mini';
import type { Asker } from '../core/asker/asker.ts';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { Budgets } from '../core/budgets/budgets.ts';
import { roomiest } from '../core/delegates/admission.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import type { FullRequest } from '../core/delegates/queueDelegate.ts';
import { withSight } from '../core/delegates/reportable.ts';
import { swarmOf } from '../core/delegates/swarm.ts';
import { can } from '../core/driver/abilities.ts';
import type { Driver } from '../core/driver/driver.ts';
import { folderSeenFrom } from '../git/homeCheckout.ts';
import { seekerForDelegate } from '../process/detect.ts';
import { Budget } from '../protocol/budget.ts';
import type { ExecutorId } from '../protocol/executorId.ts';
import { IsolationChoice } from '../protocol/isolation.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import { TaskName, WorkerName } from '../protocol/names.ts';
import { DelegateCreatedOutput } from '../protocol/output/delegates.ts';
import type { FoundAgent } from '../core/driver/foundAgent.ts';
import { chooseAgent } from './shared/agents.ts';
import type { Operation, OperationContext } from './operation.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { requireTold, unitsAtStart } from './shared/budgetUnits.ts';
import { noteSeen } from './shared/noteSeen.ts';
import { executorNamed } from './shared/executors.ts';
import { isOpenToAgents } from './shared/openToAgents.ts';
import { capacityOf } from './shared/queueOptions.ts';
import { refuseInSandbox } from './shared/isolation.ts';
import { startDelegate } from './shared/startDelegate.ts';
import { ticketsOf } from './shared/ticketsOf.ts';
import { knownMode, limitsFor, mayRunCommands, permissionMode, permitStart, type Asking } from './shared/starting.ts';

const Text = z.optional(z.string());
const Seconds = z.optional(z.number().check(z.positive()));

const Input = z.object({
	prompt: z.string(),
	/** The prompt's first line where absent. */
	title: Text,
	/** By default the asking agent, or the first one found. */
	agent: Text,
	model: Text,
	/** The agent's most careful mode where absent. */
	permissions: Text,
	/**
	 * Folder to work in, or whose repository gets a worktree. Absolute. By default the workspace. If `from` is in a worktree of Nancy's,
	 * the workspace's place there.
	 */
	folder: Text,
	from: Text,
	worktree: z.optional(z.object({ withChanges: z.boolean() })),
	/** As the user has set them where absent. */
	limits: z.optional(
		z.object({ wallSeconds: Seconds, idleSeconds: Seconds, retries: z.optional(z.int().check(z.nonnegative())) }),
	),
	/** The receiver of the result. By default the asker; the human of that task for `orchestrator`. */
	parent: z.optional(z.object({ task: TaskName, worker: WorkerName })),
	group: Text,
	/** What it may take. A person's alone to set. */
	budget: z.optional(Budget),
	/**
	 * `ssh:<host>`, or a name of the user's settings; of several, the machine with the most room is taken. An agent takes those that the user has
	 * opened to agents.
	 */
	on: z.optional(z.array(z.string()).check(z.minLength(1))),
	/** As the user has set it where absent. A person's alone to choose. */
	isolate: z.optional(IsolationChoice),
	/** Its name if it becomes a new worker of a claude-swarm. */
	feature: Text,
});
type Input = z.infer<typeof Input>;
type Output = z.infer<typeof DelegateCreatedOutput>;

const WITHOUT_COMMANDS =
	'the worktree is made without the user’s set-up and tear-down commands: an agent asked, and they would run over files that ' +
	'agents have changed. Say in the prompt what has to be installed';

/** Queues a delegate, and starts it if it may start. */
export const delegate: Operation<Input, Output, OperationContext, Start> = {
	name: 'delegate',
	input: Input,
	output: DelegateCreatedOutput,
	async permit(asker, input, context) {
		await refuseTracked(context.workspace);
		if (input.isolate !== undefined) permit(asker, { is: 'choose-isolation' });
		refuseInSandbox(context.env);
		if (input.budget) permit(asker, { is: 'set-budget', what: 'a delegate' });
		const start = await startOf(asker, input, context);
		for (const on of input.on ?? []) await permitMachine(on, start.asking);
		if (input.budget)
			requireTold(input.budget, unitsAtStart(start.found.driver, input.permissions), phrase`the delegate`);
		if (asker.is === 'human') return start;
		const { found, asking } = start;
		const folder = await permitStart(found.driver, start.folder, asking);
		permissionMode(found.driver, input.permissions, asking);
		return { found, asking, folder };
	},
	async run(asker, input, context, { found, folder, asking }) {
		const { settings } = asking;
		const { prompt, title, model, permissions, worktree, group, feature, budget, isolate } = input;
		const machines = input.on?.map(each => executorFor(each, input, found.driver, settings));
		const on = machines && (await chosenOf(machines, asking));
		const request = {
			prompt,
			title,
			model,
			permissions,
			folder,
			worktree,
			limits: limitsFor(input.limits, asking),
			// They would run here, and the delegate does not work here.
			...(worktree && on === undefined && commandsFor(found.driver, asking)),
			on,
			parent: input.parent ?? (asker.is === 'agent' ? asker.worker?.address : undefined),
			group,
			swarm: swarmOf(feature, context.env, settings),
			budget,
			isolate,
		};
		// In a worktree the CLI reads what is committed there. Before the delegate is there for others to see: they could write settings then.
		if (!worktree) await noteSeen(asker, found.driver, context, folder);
		return startDelegate(found, request, asking);
	},
};

interface Start {
	found: FoundAgent;
	folder: string;
	asking: Asking;
}

async function startOf(asker: Asker, input: Input, context: OperationContext): Promise<Start> {
	const { workspace } = context;
	const found = await chooseAgent(asker, context, input.agent, seekerForDelegate(asker));
	const asking = { asker, context, settings: await context.readSettings(workspace.folder) };
	if (input.folder !== undefined) return { found, folder: input.folder, asking };
	// An agent may itself be a delegate in a worktree. Its own delegates work there, or from there, if they can.
	const folder =
		input.from !== undefined && can(found.driver, 'worktree', found.agent.version)
			? await folderSeenFrom(input.from, workspace.folder)
			: workspace.folder;
	return { found, folder, asking };
}

/** @throws NancyError `not-trusted` for an agent on whose behalf nothing may run there */
async function permitMachine(on: string, { asker, settings, context }: Asking): Promise<void> {
	const task = asker.is === 'agent' ? asker.worker?.address.task : undefined;
	const budget = task && (await new Budgets(context.workspace.own).of({ task }));
	permit(asker, { is: 'use-machine', on, isOpen: isOpenToAgents(on, settings), hasBudget: budget !== undefined });
}

async function chosenOf(
	machines: readonly ExecutorId[],
	{ context, settings }: Asking,
): Promise<ExecutorId | undefined> {
	if (machines.length === 1) return machines[0];
	const { delegates } = await new Delegates(context.workspace).list();
	const tickets = ticketsOf(context);
	const seen = await Promise.all(delegates.map(each => withSight(tickets, each)));
	return roomiest(machines, seen, capacityOf(context, settings));
}

/** @throws NancyError `bad-usage` for a machine that the user has not named, or what a delegate on another machine cannot have */
function executorFor(
	name: string,
	{ worktree, budget, permissions }: Input,
	driver: Driver,
	settings: CommonSettings,
): ExecutorId {
	const id = executorNamed(name, settings);
	if (!worktree)
		throw new NancyError('bad-usage', phrase`on another machine a delegate works in a worktree; add --worktree`);
	if (knownMode(driver, permissions).asks)
		throw new NancyError(
			'bad-usage',
			phrase`on another machine a delegate cannot ask you; choose other permissions`,
		);
	if (budget) throw new NancyError('bad-usage', phrase`on another machine nobody keeps a budget yet; use --timeout`);
	return id;
}

/** The user's commands for a new worktree. */
function commandsFor(driver: Driver, asking: Asking): Pick<FullRequest, 'setUp' | 'tearDown'> {
	const { worktreeSetUp, worktreeTearDown } = asking.settings;
	const [setUp, tearDown] = [worktreeSetUp || undefined, worktreeTearDown || undefined];
	if (mayRunCommands(driver, asking)) return { setUp, tearDown };
	if ((setUp ?? tearDown) !== undefined) asking.context.note(WITHOUT_COMMANDS);
	return {};
}
