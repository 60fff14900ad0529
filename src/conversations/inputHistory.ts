/** So many inputs are remembered. */
const MOST = 100;

/** What Up brings back, the newest first: texts that were pasted as a whole, and no answers. */
export class InputHistory {
	/** The terminal's own history, in which it would keep single lines. */
	readonly shown: string[] = [];
	private readonly typed: string[] = [];

	/** @param text nothing if only the terminal’s own lines are to be forgotten */
	remember(text: string): void {
		if (text !== '' && text !== this.typed[0]) this.typed.unshift(text);
		this.typed.splice(MOST);
		this.shown.splice(0, this.shown.length, ...this.typed);
	}
}
