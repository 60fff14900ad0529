/**
 * How the screen of a CLI shows that it waits for a prompt. Text of a model can look like any line of it, so several marks have to stand
 * together in the last lines, which a CLI that fills the screen writes itself.
 */
export interface ScreenProfile {
	/** Of this character is the line above what is typed, and the one below. Both are as wide as the screen. */
	readonly rule: string;
	/** The first line of what is typed, which is the first group. */
	readonly first: RegExp;
	/** A further line of it. */
	readonly further: RegExp;
	/** The last line of the screen while the CLI is idle and nothing is typed. */
	readonly idle: RegExp;
	/** The key that sends what is typed. It answers no question: one may open in the moment in which the key is on its way. */
	readonly sends: string;
}
