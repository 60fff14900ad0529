/** No file tells that a process has ended, so nothing sleeps longer than this. */
const LONGEST_MS = 1000;

/** Lets a command sleep until something happens. */
export class Pause {
	private isOver = false;
	private wake: () => void = () => {};

	/** Resolves when {@link end} is called, or was since the last pause, or after a while; never later than `deadlineMs`. */
	async take(deadlineMs = Infinity): Promise<void> {
		if (!this.isOver) {
			const waitMs = Math.max(0, Math.min(LONGEST_MS, deadlineMs - Date.now()));
			await new Promise<void>(resolve => {
				const timer = setTimeout(resolve, waitMs);
				this.wake = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
		this.isOver = false;
	}

	end(): void {
		this.isOver = true;
		this.wake();
	}
}
