import * as z from 'zod/mini';
import type { Version } from '../../base/version.ts';
import type { SessionId } from '../../protocol/names.ts';

/** How a CLI speaks the Agent Client Protocol. */
export interface AcpAgent {
	/** Reads the words of a launch that {@link ACP} is among, or of an agent that is never started otherwise. */
	read(words: readonly string[]): AcpStart;
	/** The protocol's id of the mode that the words of a launch ask for; absent where Nancy has no such words. */
	modeIn?(args: readonly string[]): string | undefined;
	/** Tools whose questions a terminal of Nancy's cannot show whole: it offers no Yes. */
	readonly noYes: readonly string[];
	/** The tool that a call is of, by its id and what goes with it. */
	toolOf(call: Pick<ToolCall, 'toolCallId' | '_meta' | 'kind'>): string | undefined;
	/** How Nancy names its sessions: `own` for an agent whose own names are as unique as those of its hooks. */
	readonly sessions: SessionNames | 'own';
	/** How words reach it while it works; its hooks do that where it is `none`. */
	readonly steering: Pull | 'none';
	/** The hook that a turn lacks which its user breaks off, or that a No ends if one does. @param failure why it failed, if it did */
	readonly brokenOff: {
		readonly event: string;
		payload(session: string, cwd: string, failure?: string): object;
		readonly isAfterNo: boolean;
	};
	/** The hooks that the CLI has and does not run when it is talked with, or `none`. */
	readonly silent: SilentHooks | 'none';
	/** The one hook that a CLI does not run, for a session that it goes on with, if it runs the others. */
	readonly resumed?: (session: string, cwd: string) => SilentHook<'program'>;
	/** The same at the prompt and at the end of a turn, where words are handed over. `none` if its own hooks do that. */
	readonly turns: TurnHooks | 'none';
}

/** What a talk with an agent needs, by whatever protocol. */
export interface TalkedAgent extends Omit<AcpAgent, 'read' | 'sessions' | 'brokenOff'> {
	/** `none` where the CLI's own record tells of it. */
	readonly brokenOff: AcpAgent['brokenOff'] | 'none';
	/** Its own hooks wake it: Nancy's program waits for no message. */
	readonly wakesItself?: true;
}

/** Nancy knows a session by its name alone, in all of a workspace. An agent may count its sessions, as another agent does too. */
export interface SessionNames {
	/** A name that no other session has. @param own the agent's name for a session that begins */
	of(own: string): string;
	/** The agent's name for a session that Nancy knows by this one. */
	ownOf(session: SessionId): string;
}

/**
 * What a program of Nancy's calls the guard with, in place of the CLI. Words can be handed over at a `boundary` alone, and only to an agent that
 * takes some in the middle of its turn.
 */
export interface SilentHooks {
	begun(session: string, cwd: string, isResumed: boolean): SilentHook;
	ended(session: string, cwd: string): SilentHook;
	asked(call: ToolCall, session: string, cwd: string): SilentHook;
	/** `undefined` where the CLI would run no hook. A call that was asked for begins with the Yes to it, and is over with a No: {@link DENIED}. */
	told(call: ToolCall, session: string, cwd: string): SilentHook | undefined;
}

export interface SilentHook<Slot = 'boundary' | 'report' | 'program'> {
	readonly event: string;
	readonly slot: Slot;
	readonly payload: object;
}

/** An agent with these runs no hooks at all: those that it has of its own are off. */
export interface TurnHooks {
	/** What is handed over here goes with the prompt. */
	prompted(text: string, session: string, cwd: string): SilentHook<'turn'>;
	/** What is handed over here is the next prompt. @param turn the agent's last words, and whether its prompt was handed over so */
	stopped(turn: { said: string; isContinued: boolean }, session: string, cwd: string): SilentHook<'end'>;
	/** The words of what the guard prints there; `undefined` if there are none. */
	words(printed: string): string | undefined;
	/** Whether a prompt is worth no turn without such words. */
	saysNothing(text: string): boolean;
}

/** The status of a call that its user has denied: the protocol has none. */
export const DENIED = 'denied';

/** What the protocol says of a tool call; its parts come as they are known. */
export interface ToolCall {
	readonly toolCallId: string;
	readonly title?: string | null | undefined;
	readonly kind?: string | null | undefined;
	readonly status?: string | null | undefined;
	readonly rawInput?: unknown;
	readonly _meta?: unknown;
	readonly locations?: readonly { readonly path: string }[] | null | undefined;
}

/** The agent asks after each step whether there are words for it. */
export interface Pull {
	/** The request. */
	readonly method: string;
	/** The hook at which a CLI that is not talked with would be told the same. */
	readonly event: string;
	/** What goes with that event. */
	payload(session: string, cwd: string): object;
	/** The words of what the guard then prints; `undefined` if there are none. */
	words(printed: string): string | undefined;
}

/** An agent, by what it says of itself when a talk begins. */
export interface NamedAgent {
	readonly name: string;
	/** The lowest version that was seen to do what is said here. */
	readonly oldestVersion: Version;
}

/** Among the words of a launch: the agent is talked with, and Nancy's own program is in the terminal. */
export const ACP = '--acp';

export interface AcpStart {
	/** The CLI's own arguments. */
	readonly args: readonly string[];
	/** The first prompt. */
	readonly prompt: string | undefined;
	/** The session to go on with. */
	readonly resume: SessionId | undefined;
	/** Set for a delegate, which has no terminal: one of the driver's modes. */
	readonly permissions?: string | undefined;
}

/** The event of Nancy's own for a permission question of a conversation. The driver's `Asking` reads and answers it. */
export const ASKS_PERMISSION = 'askPermission';

/** What such an answer is: the kind of the option to choose. Ids are the agent's own, and one kind may have several. */
export const ChosenKind = z.object({ kind: z.enum(['allow_once', 'reject_once']) });
