import type { ShownScreen, ShownState } from '../../protocol/records.ts';

/** What a report of the screen needs. */
export interface ReportPlace {
	/** `undefined` while the CLI draws, and where the screen does not tell. */
	state(): ShownState | undefined;
	/** Tells Nancy's windows. @throws if nobody was told */
	tell(shown: Pick<ShownScreen, 'at' | 'hasWorked' | 'state'>): void;
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
	private hasWorked = false;
	private isOver = false;
	private soon: NodeJS.Timeout | undefined;

	constructor(private readonly place: ReportPlace) {}

	/** The screen has changed. */
	changed(): void {
		if (this.isOver) return;
		this.soon ??= setTimeout(() => {
			this.soon = undefined;
			this.look();
		}, LOOK_MS).unref();
	}

	/** The CLI has ended. Nothing more is told. */
	end(): void {
		this.isOver = true;
		clearTimeout(this.soon);
	}

	private look(): void {
		const state = this.place.state();
		if (state !== this.seen) [this.seen, this.seenAt] = [state, Date.now()];
		if (state === undefined) return;
		this.hasWorked ||= state === 'working' || state === 'asking';
		if (state === this.told) return;
		// It is told again even after a moment of another state: that was a turn, of which an event may have told.
		this.told = undefined;
		if (Date.now() - this.seenAt < STEADY_MS) return this.changed();
		try {
			this.place.tell({ state, at: new Date(this.seenAt).toISOString(), hasWorked: this.hasWorked });
			this.told = state;
		} catch {
			// The next change tries again.
		}
	}
}
