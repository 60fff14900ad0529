import type { Disposable } from '../base/lifetime.ts';
import type { PromptedLines } from './promptedLines.ts';
import type { Style } from './style.ts';

/** How often the time is renewed, in milliseconds. Seldom: a screen reader reads each change. */
const STEP_MS = 10_000;
/** How often words are drawn anew that grow, in milliseconds. */
const WORDS_MS = 250;

/** A row that says that the agent works: the words of a line that it has not ended, or else since when it works. */
export class WorkSign implements Disposable {
	private sinceMs: number | undefined;
	private ticking: NodeJS.Timeout | undefined;
	private drawing: NodeJS.Timeout | undefined;

	constructor(
		/** Draw {@link row}. */
		private readonly lines: Pick<PromptedLines, 'renew'>,
		/** What the agent says, up to the next line end. */
		private readonly words: { readonly rest: string },
	) {}

	/** `undefined` while it does not work. An agent's words have no style: they never look like Nancy's own. */
	get row(): { text: string; style?: Style } | undefined {
		if (this.sinceMs === undefined) return undefined;
		const { rest } = this.words;
		if (rest !== '') return { text: rest };
		const steps = Math.floor((Date.now() - this.sinceMs) / STEP_MS);
		const since = steps === 0 ? '' : `, ${(steps * STEP_MS) / 1000} s`;
		return { text: `— working${since}; Esc interrupts —`, style: 'dim' };
	}

	begin(): void {
		this.sinceMs ??= Date.now();
		this.ticking ??= setInterval(() => this.lines.renew(), STEP_MS).unref();
		this.lines.renew();
	}

	/** The words may be others now. */
	changed(): void {
		if (this.sinceMs === undefined) return;
		this.drawing ??= setTimeout(() => {
			this.drawing = undefined;
			this.lines.renew();
		}, WORDS_MS).unref();
	}

	dispose(): void {
		clearInterval(this.ticking);
		clearTimeout(this.drawing);
		this.sinceMs = this.ticking = this.drawing = undefined;
		this.lines.renew();
	}
}
