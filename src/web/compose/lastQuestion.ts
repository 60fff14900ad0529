/** How long the user pauses before a question is asked, in milliseconds. */
const PAUSE_MS = 150;

/** Questions that follow each other while the user types. Only the last one is asked, and only its answer counts. */
export class LastQuestion {
	private last: string | undefined;
	private timer: ReturnType<typeof setTimeout> | undefined;

	constructor(private readonly ask: (question: string) => void) {}

	put(question: string): void {
		clearTimeout(this.timer);
		this.last = question;
		this.timer = setTimeout(() => this.ask(question), PAUSE_MS);
	}

	/** Nobody wants an answer any more. */
	drop(): void {
		clearTimeout(this.timer);
		this.last = undefined;
	}

	isLast(question: string): boolean {
		return question === this.last;
	}
}
