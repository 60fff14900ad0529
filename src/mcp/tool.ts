import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import type { Asker } from '../core/asker/asker.ts';
import type { OperationContext } from '../operations/operation.ts';
import type { McpClient } from '../core/driver/driver.ts';
import type { SessionId } from '../protocol/names.ts';

/** Who calls the tools, and where. Looked up at each call: an agent's process may be sealed after it has started the server. */
export interface ToolCaller {
	/** Never a person: what calls tools is a model. */
	readonly asker: Asker;
	readonly context: OperationContext;
	/** As the agent's CLI names it. */
	readonly session: SessionId | undefined;
	/** Folder that the server was started in. */
	readonly cwd: string;
	/** How long its calls may last; `undefined` for a CLI that Nancy does not know. */
	readonly waits: McpClient['waits'] | undefined;
}

/** One call of a tool. */
export interface ToolCall {
	/** The client has broken it off, or is gone. */
	readonly signal: AbortSignal;
	/** Tells the client that the call goes on; `undefined` if it does not want to know. */
	readonly progress: ((message: string) => void) | undefined;
	/** Answers before the tool ends. False if the client does not have it. */
	reply(text: string): Promise<boolean>;
	/** Has something done if the client breaks the call off although it was answered: the two crossed each other. It may have already. */
	ifDropped(act: () => Promise<unknown>): Promise<void>;
}

/**
 * What a client may think of a tool. Nancy says no more of a tool that changes something. One CLI asks nobody before a call of a tool that
 * calls itself harmless.
 */
interface Hints {
	readonly readOnlyHint: boolean;
}

export interface Tool {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly input: z.ZodMiniType;
	readonly annotations: Hints;
	/** @returns the answer; `undefined` if it was given by {@link ToolCall.reply} */
	run(input: unknown, caller: ToolCaller, call: ToolCall): Promise<string | undefined>;
}

export const HINTS = { reads: { readOnlyHint: true }, changes: { readOnlyHint: false } } as const;

/** A tool. It runs only if its arguments have passed `input`. */
export function tool<S extends z.ZodMiniType>(
	description: Omit<Tool, 'input' | 'run'>,
	input: S,
	run: (input: z.infer<S>, caller: ToolCaller, call: ToolCall) => Promise<string | undefined>,
): Tool {
	return {
		...description,
		input,
		run: async (given, caller, call) => {
			const parsed = input.safeParse(given);
			if (parsed.success) return run(parsed.data, caller, call);
			throw new NancyError('bad-usage', `the arguments are not valid: ${z.prettifyError(parsed.error)}`);
		},
	};
}
