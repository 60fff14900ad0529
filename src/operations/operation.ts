import type * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { keepProgramsOutOf, withSafePath } from '../base/searchPath.ts';
import type { Asker, AskingAgent } from '../core/asker/asker.ts';
import { ownPlace, permitWorkIn } from '../core/asker/ownPlace.ts';
import type { InstalledRuntime } from '../core/deployment/runtime.ts';
import { notOnPage } from '../core/asker/permit.ts';
import type { Overview } from '../core/live/overview.ts';
import { agentsFolders } from '../core/workspace/placeFrom.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import type { CommonSettings } from '../protocol/settings.ts';

/** One use case of Nancy. The window and the `nancy` command are two ways to ask for it: they make the input, and words from the output. */
export interface Operation<I, O, C = OperationContext, P = void> {
	readonly name: string;
	readonly input: z.ZodMiniType<I>;
	readonly output: z.ZodMiniType<O>;
	/** It may be done in Restricted Mode, where it writes nothing and runs no program. */
	readonly worksUntrusted?: true;
	/** A person may ask for it at a page of the desk. A phone may be in other hands, so nothing is started, set or deleted from there. */
	readonly worksOnPage?: true;
	/**
	 * @returns what it had to find out, for {@link run}
	 * @throws NancyError if it may not be done here, or not by the asker. Nothing has been changed then
	 */
	permit(asker: Asker, input: I, context: C): Promise<P>;
	run(asker: Asker, input: I, context: C, permitted: P): Promise<O>;
}

/** The facts of an operation that needs no workspace. */
export interface MachineContext {
	/** If the operation works in one. */
	readonly workspace?: Workspace;
	/** The environment that agents inherit. It also names their programs if these are not on the PATH: see `programVariable`. */
	readonly env: Readonly<Record<string, string | undefined>>;
	/** False in Restricted Mode of an editor: nothing is written and no program is run. */
	readonly isTrusted: boolean;
}

/** The place of an operation, and the facts that only the program around it knows. */
export interface OperationContext extends MachineContext {
	readonly workspace: Workspace;
	/** The user's: see base/folders. */
	readonly dataFolder: string;
	/** The user's settings of this workspace in an editor. They override the workspace's own file. */
	readonly settings: {
		readonly hooks: 'on' | 'off' | undefined;
		/** In percent of the context window. */
		readonly tokenThreshold: number | undefined;
	};
	/** The user's settings for delegates and headless runs in a folder. */
	readonly readSettings: (folder: string) => Promise<CommonSettings>;
	/** Installs the programs that hooks and agents call, if they are missing or damaged. */
	readonly installRuntime: () => Promise<InstalledRuntime>;
	/** Everything about the workspace as it is now. */
	readonly look: () => Promise<Overview>;
	/** Runs a step with an overview while the workspace is unchanged. */
	readonly watch: <T>(work: (live: LiveOverview) => Promise<T>) => Promise<T>;
	/** Releases the view of a worker that is about to be ended on purpose: its terminal in the window. */
	readonly letGo?: (worker: WorkerAddress) => Promise<void>;
	/** Reports a problem to the asker, in a sentence, that does not stop the work. */
	readonly note: (text: string) => void;
}

export interface LiveOverview {
	readonly overview: () => Overview;
	/** Resolves when the workspace may have changed, at the latest at this moment (ms since 1970). */
	readonly changed: (deadlineMs: number) => Promise<void>;
}

/** The only way to run an operation: it checks first that the asker may do it, and may do anything in this workspace. */
export async function perform<I, O, C extends MachineContext = OperationContext, P = void>(
	operation: Operation<I, O, C, P>,
	asker: Asker,
	given: z.input<z.ZodMiniType<I, I>>,
	context: C,
): Promise<O> {
	if (asker.is === 'human' && asker.via === 'page' && operation.worksOnPage !== true) throw notOnPage();
	const input = operation.input.parse(given);
	if (operation.worksUntrusted !== true) requireTrust(context);
	if (context.workspace) {
		permitWorkIn(asker, context.workspace.folder, context.env);
		keepProgramsOutOf(agentsFolders(context.workspace.folder));
	}
	const here = asker.is === 'agent' ? boundedBy(asker, context) : context;
	const permitted = await operation.permit(asker, input, here);
	return operation.output.parse(await operation.run(asker, input, here, permitted));
}

/** What an agent has Nancy start looks up no program where agents write. An operation of a machine has no workspace, but its asker has. */
function boundedBy<C extends MachineContext>(asker: AskingAgent, context: C): C {
	keepProgramsOutOf(agentsFolders(ownPlace(asker, context.env).folder));
	return { ...context, env: withSafePath(context.env) };
}

/** @throws NancyError `not-trusted` in Restricted Mode */
export function requireTrust({ isTrusted }: Pick<OperationContext, 'isTrusted'>): void {
	if (isTrusted) return;
	throw new NancyError('not-trusted', phrase`Trust this workspace first: in Restricted Mode Nancy changes nothing.`);
}

/** Everybody may do it where Nancy may do anything at all. */
export const anybody = (): Promise<void> => Promise.resolve();
