import * as z from 'zod/mini';
import { errorText, NancyError } from '../base/errors.ts';
import type { Asker } from '../core/asker/asker.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { queueDelegate } from '../core/delegates/queueDelegate.ts';
import { requirePlace } from '../core/delegates/requirePlace.ts';
import { swarmOf } from '../core/delegates/swarm.ts';
import type { Version } from '../base/version.ts';
import { can, type Driver } from '../core/driver/driver.ts';
import { folderSeenFrom } from '../git/homeCheckout.ts';
import { requireRepository } from '../git/repository.ts';
import { TaskName, WorkerName } from '../protocol/names.ts';
import { DelegateCreatedOutput } from '../protocol/output/delegates.ts';
import { chooseAgent } from './agents.ts';
import { keepSettings } from './hooksChoice.ts';
import { lookAfterQueue } from './lookAfterQueue.ts';
import { noteSeen } from './noteSeen.ts';
import type { Operation, OperationContext } from './operation.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { limitsFor, mayRunCommands, permissionMode, permitStart, type Asking } from './starting.ts';
import { ticketsOf } from './ticketsOf.ts';

const Text = z.optional(z.string());
const Seconds = z.optional(z.number().check(z.positive()));

const Input = z.object({
	prompt: z.string(),
	/** The prompt's first line where absent. */
	title: Text,
	/** By default the asking agent, the workspace's default, or the first one found. */
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
	/** Commands for the worktree of a repeated delegate; by default the user's settings. */
	setUp: Text,
	tearDown: Text,
	/** The receiver of the result. By default the asker; the human of that task for `orchestrator`. */
	parent: z.optional(z.object({ task: TaskName, worker: WorkerName })),
	group: Text,
	/** The worker of a claude-swarm that is repeated. */
	swarm: z.optional(z.object({ feature: z.union([z.string(), z.undefined()]) })),
	/** Its name if it becomes a new worker of a claude-swarm. */
	feature: Text,
});
type Input = z.infer<typeof Input>;
type Output = z.infer<typeof DelegateCreatedOutput>;

const WITHOUT_COMMANDS =
	'the worktree is made without the user’s set-up and tear-down commands: an agent asked, and they would run over files that ' +
	'agents have changed. Say in the prompt what has to be installed';

/** Queues a delegate, and starts it if it may start. */
export const delegate: Operation<Input, Output> = {
	name: 'delegate',
	input: Input,
	output: DelegateCreatedOutput,
	async permit(asker, input, context) {
		await refuseTracked(context.workspace);
		if (asker.is === 'human') return;
		if ((input.setUp ?? input.tearDown) !== undefined)
			throw new NancyError('not-trusted', 'an agent may not name commands for a worktree; they are the user’s');
		const { driver, folder, asking } = await startOf(asker, input, context);
		await permitStart(driver, [context.workspace.folder, folder], asking);
		permissionMode(driver, input.permissions, asking);
	},
	async run(asker, input, context) {
		const { workspace, env } = context;
		const { driver, version, folder, asking } = await startOf(asker, input, context);
		const { settings } = asking;
		requirePlace(driver, version, { folder, isInWorktree: input.worktree !== undefined }, workspace.folder);
		const permissions = permissionMode(driver, input.permissions, asking);
		if (input.worktree) await requireRepository(folder);
		if (asker.is === 'human')
			for (const place of new Set([workspace.folder, folder])) await noteSeen(driver, context, place);
		// Its runner is no part of the program that asks.
		await keepSettings(context);
		const store = new Delegates(workspace);
		const look = () => lookAfterQueue(store, context);
		const swarm = swarmOf({ again: input.swarm, feature: input.feature }, env, settings);
		// The one before may have lost its runner, and is not this worker any more. The look below reports other failures.
		if (swarm) await look().catch(() => undefined);
		const { record } = await queueDelegate(store, ticketsOf(context), asker, {
			prompt: input.prompt,
			title: input.title,
			agent: driver.id,
			model: input.model,
			permissions,
			folder,
			worktree: input.worktree,
			limits: limitsFor(input.limits, settings),
			...(input.worktree && commandsOf(input, driver, asking)),
			parent: input.parent ?? (asker.is === 'agent' ? asker.worker?.address : undefined),
			group: input.group,
			swarm,
		});
		// It is queued. A caller that tried again because of this would queue it twice. Another look follows anyway.
		await look().catch((error: unknown) => context.note(`it is queued, and starts later: ${errorText(error)}`));
		const { state } = await store.get(record.id);
		return { id: record.id, worker: `${record.task}/${record.worker}`, status: state };
	},
};

async function startOf(
	asker: Asker,
	input: Input,
	context: OperationContext,
): Promise<{ driver: Driver; version: Version; folder: string; asking: Asking }> {
	const { workspace, env } = context;
	const { driver, agent } = await chooseAgent(workspace, asker, env, input.agent);
	const asking = { asker, context, settings: await context.readSettings(workspace.folder) };
	const { version } = agent;
	if (input.folder !== undefined) return { driver, version, folder: input.folder, asking };
	// An agent may itself be a delegate in a worktree. Its own delegates work there, or from there, if they can.
	const folder =
		input.from !== undefined && can(driver, 'worktree', version)
			? await folderSeenFrom(input.from, workspace.folder)
			: workspace.folder;
	return { driver, version, folder, asking };
}

/** The user's commands for its worktree. */
function commandsOf(input: Input, driver: Driver, asking: Asking): Pick<Input, 'setUp' | 'tearDown'> {
	const { worktreeSetUp, worktreeTearDown } = asking.settings;
	const isAgain = (input.setUp ?? input.tearDown) !== undefined;
	const { setUp, tearDown } = isAgain
		? input
		: { setUp: worktreeSetUp || undefined, tearDown: worktreeTearDown || undefined };
	if (mayRunCommands(driver, asking)) return { setUp, tearDown };
	if ((setUp ?? tearDown) !== undefined) asking.context.note(WITHOUT_COMMANDS);
	return {};
}
