/** How long after an answer from elsewhere a line is taken for one to that question, in milliseconds. */
export const DEAF_MS = 1000;

/** Who had begun to answer when somebody else did, goes on for a moment. That is no line, and no answer to the next question. */
export class Deafness {
	private untilMs = 0;
	/** The line that is being typed was begun before. */
	private isLate = false;

	begin(): void {
		this.untilMs = Date.now() + DEAF_MS;
	}

	/** Something is being typed. */
	typed(): void {
		if (Date.now() < this.untilMs) this.isLate = true;
	}

	/** Whether the line that has ended is none. */
	drops(isAnswer: boolean): boolean {
		const { isLate } = this;
		this.isLate = false;
		return Date.now() < this.untilMs || (isLate && isAnswer);
	}
}
