import type { Completed } from './completions.ts';
import type { Style } from './style.ts';

/** What lines come from. */
export interface LineSource extends AsyncIterable<Uint8Array | string> {
	readonly isTTY?: boolean;
}

export interface PromptedOptions {
	readonly stdin: LineSource;
	readonly prompt: string;
	/** @param line up to the cursor */
	readonly completer: (line: string) => Completed | Promise<Completed>;
	/** Writes lines, also while one is being typed. */
	readonly write: (text: string) => void;
	/** Ctrl-C while nothing is typed. */
	readonly interrupt: () => void;
	/** Esc. */
	readonly escape?: () => void;
	/** No further line comes. */
	readonly ended?: () => unknown;
	/** Whether somebody takes this line at once: it is no line for {@link PromptedLines.next}, then. */
	readonly taken?: (line: string) => boolean;
	/** A row below all that is said, in the place of a line that is typed. A longer text shows its end. */
	readonly below?: () => { readonly text: string; readonly style?: Style } | undefined;
	/** Called once lines were written. */
	readonly said?: () => void;
	/** Lines that were typed before a question are still lines afterwards. Otherwise they are shown, and dropped. */
	readonly keepsEarly?: boolean;
}
