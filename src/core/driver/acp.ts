import * as z from 'zod/mini';
import type { SessionId } from '../../protocol/names.ts';

/** How a CLI speaks the Agent Client Protocol. */
export interface AcpAgent {
	/** Reads the words of a launch in a terminal that {@link ACP} is among. */
	read(words: readonly string[]): AcpStart;
	/** Tools whose questions a terminal of Nancy's cannot show whole: it offers no Yes. */
	readonly noYes: readonly string[];
	/** The tool that a permission question is about, by what goes with it. */
	toolOf(meta: unknown): string | undefined;
	/** How words reach it while it works; its hooks do that where it is `none`. */
	readonly steering: Pull | 'none';
	/** The hook that a turn lacks which its user breaks off, or ends by a No. */
	readonly brokenOff: { readonly event: string; payload(session: string, cwd: string): object };
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

/** Among the words of a launch: the agent is talked with, and Nancy's own program is in the terminal. */
export const ACP = '--acp';

export interface AcpStart {
	/** The CLI's own arguments. */
	readonly args: readonly string[];
	/** The first prompt. */
	readonly prompt: string | undefined;
	/** The session to go on with. */
	readonly resume: SessionId | undefined;
}

/** The event of Nancy's own for a permission question of a conversation. The driver's `Asking` reads and answers it. */
export const ASKS_PERMISSION = 'askPermission';

/** What such an answer is: the kind of the option to choose. Ids are the agent's own, and one kind may have several. */
export const ChosenKind = z.object({ kind: z.enum(['allow_once', 'reject_once']) });
