import type * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import type { Asker } from '../core/asker/asker.ts';
import type { InstalledRuntime } from '../core/deployment/runtime.ts';
import type { Overview } from '../core/live/overview.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import type { CommonSettings } from '../protocol/settings.ts';

/**
 * One thing that somebody can have Nancy do. The window and the `nancy` command are two ways to ask for it: they make the input, and
 * words from the output.
 */
export interface Operation<I, O> {
	readonly name: string;
	readonly input: z.ZodMiniType<I>;
	readonly output: z.ZodMiniType<O>;
	/** @throws NancyError where it may not be done here, or not by whoever asks; nothing has been changed then */
	permit(asker: Asker, input: I, context: OperationContext): Promise<void>;
	run(asker: Asker, input: I, context: OperationContext): Promise<O>;
}

/** Where something is done, and what only the program around it knows. */
export interface OperationContext {
	readonly workspace: Workspace;
	/** The user's: see base/folders. */
	readonly dataFolder: string;
	/** What agents inherit; it also names their programs where these are not on the PATH: see `programVariable`. */
	readonly env: Readonly<Record<string, string | undefined>>;
	/** False in Restricted Mode of an editor: then nothing is written and no program is run. */
	readonly isTrusted: boolean;
	/** What the user has set for this workspace in an editor; it wins over what the workspace's own file says. */
	readonly settings: {
		readonly hooks: 'on' | 'off' | undefined;
		/** In percent of the context window. */
		readonly tokenThreshold: number | undefined;
	};
	/** What the user has set for delegates and headless runs in a folder. */
	readonly readSettings: (folder: string) => Promise<CommonSettings>;
	/** Installs the programs that hooks and agents call, where they are missing or damaged. */
	readonly installRuntime: () => Promise<InstalledRuntime>;
	/** Does something with an overview that stays as the workspace is. */
	readonly watch: <T>(work: (live: LiveOverview) => Promise<T>) => Promise<T>;
	/** Lets go of what shows a worker that is about to be ended on purpose: its terminal in the window. */
	readonly letGo?: (worker: WorkerAddress) => Promise<void>;
	/** Tells whoever asks, in a sentence, of what does not stop the work. */
	readonly note: (text: string) => void;
}

export interface LiveOverview {
	readonly overview: () => Overview;
	/** Resolves when the workspace may have changed, at the latest at this moment (ms since 1970). */
	readonly changed: (deadlineMs: number) => Promise<void>;
}

/** The only way to run an operation: what may not be done is refused first. */
export async function perform<I, O>(
	operation: Operation<I, O>,
	asker: Asker,
	given: z.input<z.ZodMiniType<I, I>>,
	context: OperationContext,
): Promise<O> {
	const input = operation.input.parse(given);
	await operation.permit(asker, input, context);
	return operation.output.parse(await operation.run(asker, input, context));
}

/** @throws NancyError `not-trusted` in Restricted Mode */
export function requireTrust({ isTrusted }: Pick<OperationContext, 'isTrusted'>): void {
	if (isTrusted) return;
	throw new NancyError('not-trusted', 'Trust this workspace first: in Restricted Mode Nancy changes nothing.');
}
