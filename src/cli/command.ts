import type * as z from 'zod/mini';
import type { Asker } from '../core/asker/asker.ts';
import type { Caller } from '../operations/shared/caller.ts';
import type { CommandDescription } from './description.ts';
import { usageError } from './failure.ts';

/** Standard input, as far as commands need it. */
export interface Input extends AsyncIterable<Uint8Array | string> {
	readonly isTTY?: boolean;
	/** Reads no more. */
	destroy?(): unknown;
}

/** Who calls, from where, and where the answer goes. */
export interface Context extends Caller {
	wantsJson: boolean;
	stdin: Input;
	/** The asker as it is known now: an agent's process may be sealed after it has started this one. */
	askerNow: () => Asker;
	/** The environment of this very call, which the caller may have chosen. */
	given: Caller['env'];
	/** Writes one line and waits until it is on its way. False if nobody reads any more. */
	send: (line: string) => Promise<boolean>;
	/** Writes one line of a stream; a command's answer is returned instead. */
	writeLine(line: string): void;
	/** Writes one line on standard error: a failure that ends a part of the command. */
	writeError(line: string): void;
}

/** A command's answer: the same facts for programs and for people. */
export interface Answer {
	json: unknown;
	text: string;
	exitCode?: number;
}

/** Checks that the JSON has the documented shape. */
export function answer<S extends z.ZodMiniType>(
	schema: S,
	json: z.input<S>,
	text: string | readonly string[],
	exitCode = 0,
): Answer {
	return { json: schema.parse(json), text: typeof text === 'string' ? text : text.join('\n'), exitCode };
}

export interface Command extends CommandDescription {
	/** `undefined` when the command has written everything itself. */
	run(input: unknown, context: Context): Promise<Answer | number>;
}

/** Loads each command when it is called: loading all of them takes as long as starting Node. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

export function loadAll(commands: Commands): Promise<Command[]> {
	return Promise.all(Object.values(commands).map(load => load()));
}

/** A command. It runs only if its arguments have passed `schema`. */
export function command<S extends z.ZodMiniType>(
	description: CommandDescription,
	schema: S,
	run: (input: z.infer<S>, context: Context) => Promise<Answer | number>,
): Command {
	return {
		...description,
		run: (input, context) => {
			const parsed = schema.safeParse(input);
			if (parsed.success) return run(parsed.data, context);
			const [issue] = parsed.error.issues;
			throw usageError(description, issue, issue !== undefined && !hasValue(input, issue.path[0]));
		},
	};
}

function hasValue(input: unknown, name: PropertyKey | undefined): boolean {
	return typeof input === 'object' && input !== null && name !== undefined && Object.hasOwn(input, name);
}
