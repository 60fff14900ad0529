import type { Disposable } from '../base/lifetime.ts';
import type { PromptedLines } from './promptedLines.ts';

/** How often the time is renewed, in milliseconds. Seldom: a screen reader reads each change. */
const STEP_MS = 10_000;

/** A row that says that the agent works: the words of a line that it has not ended, or else since when it works. */
export class WorkSign implements Disposable {
	private sinceMs: number | undefined;
	private ticking: NodeJS.Timeout | undefined;

	constructor(
		private readonly lines: Pick<PromptedLines, 'stand'>,
		/** What it says, up to the next line end. */
		private readonly words: { readonly rest: string },
	) {}

	begin(): void {
		this.sinceMs ??= Date.now();
		this.ticking ??= setInterval(() => this.renew(), STEP_MS).unref();
		this.renew();
	}

	/** The words may be others now. */
	renew(): void {
		if (this.sinceMs === undefined) return;
		const steps = Math.floor((Date.now() - this.sinceMs) / STEP_MS);
		const since = steps === 0 ? '' : `, ${(steps * STEP_MS) / 1000} s`;
		const { rest } = this.words;
		// An agent's words never look like Nancy's own.
		if (rest !== '') this.lines.stand(rest);
		else this.lines.stand(`— working${since}; Esc interrupts —`, 'dim');
	}

	dispose(): void {
		clearInterval(this.ticking);
		this.sinceMs = this.ticking = undefined;
		this.lines.stand('');
	}
}
