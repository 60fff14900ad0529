import { NewestMap } from '../base/newestMap.ts';

interface Bucket {
	left: number;
	atMs: number;
}

/** How many names are remembered. */
const MOST = 200;

/** At most so many requests in a second of one name, and twice as many at once. */
export class Rates {
	private readonly buckets = new NewestMap<string, Bucket>(MOST);

	constructor(
		private readonly perSecond: number,
		private readonly now: () => number = Date.now,
	) {}

	/** Counts a request. `false`: it is one too many. */
	take(name: string): boolean {
		const nowMs = this.now();
		const most = 2 * this.perSecond;
		const { left, atMs } = this.buckets.get(name) ?? { left: most, atMs: nowMs };
		// A clock that was set back takes nothing away.
		const passedMs = Math.max(0, nowMs - atMs);
		const present = Math.min(most, left + (passedMs * this.perSecond) / 1000);
		const isFine = present >= 1;
		this.buckets.set(name, { left: isFine ? present - 1 : present, atMs: nowMs });
		return isFine;
	}
}

/** So many wrong tokens or codes within {@link PAUSE_MS} are no accident. */
const MOST_WRONG = 5;
const PAUSE_MS = 60_000;

/** Counts what somebody might guess. Right tokens work on meanwhile: otherwise any program of the machine could lock the person out. */
export class Guesses {
	private wrong: number[] = [];

	constructor(
		private readonly warn: () => void,
		private readonly now: () => number = Date.now,
	) {}

	/** No further guess is looked at. */
	get isPaused(): boolean {
		return this.recent().length >= MOST_WRONG;
	}

	/** During a pause nothing is counted: it would never end. */
	count(): void {
		if (this.isPaused) return;
		this.wrong = [...this.recent(), this.now()];
		if (this.wrong.length === MOST_WRONG) this.warn();
	}

	/** Without those of the future: the clock was set back. */
	private recent(): number[] {
		const nowMs = this.now();
		return this.wrong.filter(at => nowMs - PAUSE_MS < at && at <= nowMs);
	}
}
