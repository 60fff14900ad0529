import type { Answer, OutcomeState, Question } from '../../protocol/question.ts';
import type { HookAnswer, HookCall } from './hooks.ts';

/** What a CLI asks, in Nancy's words. */
export type AskedRequest = Pick<
	Question,
	| 'session'
	| 'subagent'
	| 'subagentName'
	| 'kind'
	| 'tool'
	| 'call'
	| 'title'
	| 'body'
	| 'bodyIs'
	| 'also'
	| 'cwd'
	| 'files'
	| 'choices'
	| 'fields'
> & {
	/** The tool's input as the CLI gave it. */
	readonly input: unknown;
};

/** How a CLI's permission questions reach a person, and how the answer reaches the CLI. Its own prompt is open meanwhile. */
export interface Asking {
	/** The question that one hook call asks; `none` if it is no question for Nancy. Throws if the payload does not match its schema. */
	read(call: HookCall): AskedRequest | 'none';
	/** The output that answers the question. The only place where a driver may say "allow": with a person's answer to this very question. */
	answer(call: HookCall, answer: Answer): HookAnswer;
	/** Folders besides the workspace in which the agent may write unasked. @param args of its process; none if they cannot be seen */
	addedFolders(call: HookCall, workspaceFolder: string, args: readonly string[]): Promise<readonly string[]>;
	/** Whether another call of the guard reports the event. Then the holder keeps no event of its own. */
	readonly isReportedApart: boolean;
	/** Whether the CLI opens no prompt of its own for a subagent's question as long as a hook holds it. */
	readonly hidesSubagents: boolean;
}

/**
 * What it means when the CLI, or Nancy's plugin in it, ends the process that waits. Claude Code sends SIGTERM of its own accord. A terminal
 * that closes sends SIGHUP.
 */
export const ENDINGS = {
	SIGTERM: 'no-elsewhere',
	SIGUSR2: 'yes-elsewhere',
	SIGHUP: 'ended',
	SIGINT: 'ended',
} as const satisfies Partial<Record<NodeJS.Signals, OutcomeState>>;
