import { errorText } from '../base/errors.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { Workspace } from '../core/workspace/workspace.ts';
import { lookAtQueue } from '../delegates/delegateQueue.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import { deployAgent, findAgent, knownDriver, ownRuntime } from './agents.ts';
import type { Context } from './command.ts';
import { runDelegate } from './delegateRunner.ts';
import { ExitCode } from './failure.ts';
import { settingsFor } from './headlessOptions.ts';
import { findWorkspace } from './place.ts';
import { queueOptions, ticketsOf } from './queue.ts';
import { withCancel } from './withCancel.ts';

/** Runs a delegate that the queue has started, then lets the next one start. */
export async function runOfQueue(id: DelegateId, context: Context): Promise<number> {
	findWorkspace(context); // refuses an agent that names another project's: the look at the queue starts what waits there
	// The queue names it, by the path that its ticket is for. Whoever asked for the delegate was permitted to then.
	const workspace = new Workspace(context.cwd);
	const delegates = new Delegates(workspace);
	const runtime = await ownRuntime(context);
	const hasHooks = (await workspace.config()).hooks !== 'off';
	const look = async () => {
		const settings = await settingsFor(workspace.folder, context).catch(async (error: unknown) => {
			const text = `the queue goes on without your settings: ${errorText(error)}`;
			context.note(text);
			await delegates
				.files(id)
				.appendLog(`${text}\n`)
				.catch(() => undefined);
			return {};
		});
		await lookAtQueue(delegates, queueOptions(context, workspace, runtime, settings));
	};
	// Also after one that could not be ended: others wait.
	try {
		await withCancel(signal =>
			runDelegate(delegates, id, {
				tickets: ticketsOf(context, workspace),
				findAgent: agent => findAgent(knownDriver(agent), context.env),
				deploy: async found =>
					void (hasHooks && (await deployAgent(workspace, context, runtime, found, 'launch'))),
				bin: runtime.bin,
				hooks: hasHooks ? runtime : undefined,
				env: context.env,
				// In tmux somebody may be looking.
				show: text => void (process.stdout.isTTY && process.stdout.write(text)),
				cap: async () => {
					const settings = await settingsFor(workspace.folder, context).catch(() => ({}));
					return queueOptions(context, workspace, runtime, settings).cap;
				},
				signal,
			}),
		);
	} finally {
		await look();
	}
	return ExitCode.ok;
}
