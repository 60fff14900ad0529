import { errorText } from '../base/errors.ts';
import type { InstalledRuntime } from '../core/deployment/runtime.ts';
import { permitWorkIn } from '../core/asker/ownPlace.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { Workspace } from '../core/workspace/workspace.ts';
import { cleanUpElsewhere } from '../delegates/cleanUpElsewhere.ts';
import { lookAtQueue } from '../delegates/delegateQueue.ts';
import { executorAt } from '../executors/executorAt.ts';
import { steps } from '../executors/there.ts';
import type { Executor } from '../executors/executor.ts';
import type { ExecutorId } from '../protocol/executorId.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { Context } from './command.ts';
import { runDelegate } from '../delegates/runDelegate.ts';
import { ExitCode } from './failure.ts';
import { programContext } from '../operations/shared/programContext.ts';
import { findWorkspace } from '../operations/shared/place.ts';
import { findAgent, knownDriver } from '../operations/shared/agents.ts';
import { compileNotes, notesBeforePrompt } from '../operations/shared/compiledNotes.ts';
import { deployAgent } from '../operations/shared/deployEach.ts';
import { hasHooks } from '../operations/shared/hooksChoice.ts';
import { isSteeredElsewhere } from '../operations/shared/elsewhere.ts';
import { capacityOf, queueOptions } from '../operations/shared/queueOptions.ts';
import { ticketsOf } from '../operations/shared/ticketsOf.ts';
import { withCancel } from './withCancel.ts';

/** Runs a delegate that the queue has started, then lets the next one start. */
export async function runOfQueue(id: DelegateId, context: Context): Promise<number> {
	// Programs that agents may have put on the PATH are left out from here on.
	findWorkspace(context);
	const workspace = new Workspace(context.cwd);
	// An agent in another project is refused here, because a look at the queue starts the delegates that wait there. What the queue names was
	// permitted at the queueing, and the ticket names the request.
	permitWorkIn(context.asker, workspace.folder, context.env);
	const delegates = new Delegates(workspace);
	const where = programContext(workspace, context);
	const tell = async (text: string) => {
		context.note(text);
		await delegates
			.files(id)
			.appendLog(`${text}\n`)
			.catch(() => undefined);
	};
	const look = async () => {
		const settings = await where.readSettings(workspace.folder).catch(async (error: unknown) => {
			await tell(`the queue goes on without your settings: ${errorText(error)}`);
			return {};
		});
		await lookAtQueue(delegates, queueOptions(where, await where.installRuntime(), settings));
	};
	let installed: Promise<InstalledRuntime> | undefined;
	const runtimeAtStart = () => (installed ??= where.installRuntime());
	let elsewhere: { on: ExecutorId; executor: Executor } | undefined;
	const [ran] = await Promise.allSettled([
		withCancel(signal =>
			runDelegate(delegates, id, {
				tickets: ticketsOf(where),
				findAgent: async (agent, seeker) => {
					// The runtime is checked while the CLI tells its version.
					const [found] = await Promise.all([findAgent(knownDriver(agent), where, seeker), runtimeAtStart()]);
					return found;
				},
				prepare: async found => {
					const runtime = await runtimeAtStart();
					const isHooked = await hasHooks(where);
					if (isHooked) {
						const { warnings } = await deployAgent(where, runtime, found, 'launch');
						for (const warning of warnings) await tell(warning);
						await compileNotes(where);
					}
					return {
						bin: runtime.bin,
						hooks: isHooked ? runtime : undefined,
						notesBefore: async prompt => (isHooked ? '' : notesBeforePrompt(where, prompt)),
					};
				},
				isSteered: agent => isSteeredElsewhere(agent, where),
				executor: async on => {
					const submitting = { readSettings: () => where.readSettings(workspace.folder), steps };
					const executor = executorAt(on, await runtimeAtStart(), submitting);
					elsewhere = { on, executor };
					return executor;
				},
				env: context.env,
				// In tmux somebody may be watching.
				show: text => void (process.stdout.isTTY && process.stdout.write(text)),
				capacity: async () => capacityOf(where, await where.readSettings(workspace.folder).catch(() => ({}))),
				// What keeps others from starting is told at the end.
				freed: () => look().catch(() => undefined),
				superseded: () => process.exit(ExitCode.failed),
				signal,
			}),
		),
	]);
	// Also after a delegate that could not be ended, because others wait. Its error is named first.
	const [looked] = await Promise.allSettled([look()]);
	if (elsewhere)
		await cleanUpElsewhere(ticketsOf(where), elsewhere.on, elsewhere.executor, tell).catch(() => undefined);
	for (const end of [ran, looked]) if (end.status === 'rejected') throw end.reason;
	return ExitCode.ok;
}
