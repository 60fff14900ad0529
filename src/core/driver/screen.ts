/**
 * How the screen of a CLI shows that it waits for a prompt. Text of a model can look like any line of it. So several marks have to be
 * together in the last lines, which a CLI writes itself.
 */
export interface ScreenProfile {
	/** Which of the two screens of a terminal it draws on. The other one belongs to other programs. */
	readonly buffer: 'normal' | 'alternate';
	/** Its last line is the last of the screen. Otherwise blank lines may follow. */
	readonly fills: boolean;
	/** The line above what is typed is of one of these characters, as wide as the screen. A blank is a blank line. */
	readonly above: readonly string[];
	/** The same of the line below. */
	readonly below: readonly string[];
	/** The first line of what is typed, which is the first group. */
	readonly first: RegExp;
	/** A further line of it. */
	readonly further: RegExp;
	/** What the CLI itself writes there while nothing is typed. */
	readonly placeholder: string;
	/** The {@link HEAD_LINES} lines in front of all this. */
	readonly head: RegExp;
	/** How many lines follow. */
	readonly footers: number;
	/** These lines while the CLI is idle and nothing is typed. */
	readonly idle: RegExp;
	/** The title of the terminal while the CLI is idle, or `none` if it tells nothing. */
	readonly idleTitle: RegExp | 'none';
	/** The keys that send what is typed. They allow nothing: a question may open in the moment in which they are on their way. */
	readonly sends: string;
}

/** So many lines in front of the input line tell whose it is. */
export const HEAD_LINES = 4;
