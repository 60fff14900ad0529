import type { ShownState } from '../../protocol/records.ts';

/** What a report of the screen needs. */
export interface ReportPlace {
	/** `undefined` while the CLI draws, and where the screen does not tell. */
	state(): ShownState | undefined;
	/** Tells Nancy's windows. A rejection means that nobody was told. @param since in milliseconds since 1970 */
	tell(state: ShownState, since: number): Promise<void>;
}

/** A state that has stayed for so long is no half picture, and no moment between two tools, in milliseconds. */
const STEADY_MS = 1000;

/** How often a screen that changes is read, in milliseconds. */
const LOOK_MS = 200;

/** Tells what a CLI does, as its screen shows it, each time that this has changed. */
export class ScreenReport {
	private seen: ShownState | undefined;
	private seenAt = 0;
	private told: ShownState | undefined;
	private soon: NodeJS.Timeout | undefined;
	/** One after the other: the last that is told is the last that was seen. */
	private telling: Promise<void> = Promise.resolve();

	constructor(private readonly place: ReportPlace) {}

	/** The screen has changed. */
	changed(): void {
		this.soon ??= setTimeout(() => {
			this.soon = undefined;
			this.look();
		}, LOOK_MS).unref();
	}

	/** The CLI has ended. Resolves once nothing more is told. */
	async end(): Promise<void> {
		clearTimeout(this.soon);
		await this.telling;
	}

	private look(): void {
		const state = this.place.state();
		if (state !== this.seen) [this.seen, this.seenAt] = [state, Date.now()];
		if (state === undefined || state === this.told) return;
		if (Date.now() - this.seenAt < STEADY_MS) return this.changed();
		this.told = state;
		const since = this.seenAt;
		this.telling = this.telling
			.then(() => this.place.tell(state, since))
			.catch(() => {
				// The next change tries again.
				if (this.told === state) this.told = undefined;
			});
	}
}
