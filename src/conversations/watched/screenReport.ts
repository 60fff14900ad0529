import type { ShownScreen, ShownState } from '../../protocol/records.ts';

/** What a report of the screen needs. */
export interface ReportPlace {
	/** `undefined` while the CLI draws, and where the screen does not tell. */
	state(): ShownState | undefined;
	/** Tells Nancy's windows. @throws if nobody was told */
	tell(shown: Omit<ShownScreen, 'version'>): void;
}

/** A state that has stayed for so long is no half picture, and no moment between two tools, in milliseconds. */
const STEADY_MS = 1000;

/** How often a screen that changes is read, in milliseconds. */
const LOOK_MS = 200;

/** When it is told again what could not be told, in milliseconds. */
const AGAIN_MS = 2000;

/** A turn that ends so soon after a key was broken off by it, in milliseconds. */
const BREAKS_OFF_MS = 3000;

/** Esc and Ctrl+C alone, also by the keyboard protocol of kitty. They break off a turn of each CLI that has such a key. */
// oxlint-disable-next-line no-control-regex -- keys are control characters
const BREAKING_KEYS = /^(?:\u001b|\u0003|\u001b\[27(?:;1(?::1)?)?u|\u001b\[99;5(?::1)?u)+$/;

/** Tells what a CLI does, as its screen shows it, each time that this has changed. */
export class ScreenReport {
	private seen: ShownState | undefined;
	private seenAt = 0;
	private told: ShownState | undefined;
	private workedAt: number | undefined;
	private brokenAt = 0;
	private isOver = false;
	private soon: NodeJS.Timeout | undefined;

	constructor(private readonly place: ReportPlace) {}

	/** The screen has changed. */
	changed(): void {
		this.lookIn(LOOK_MS);
	}

	/** The person has typed. */
	input(bytes: Uint8Array): void {
		if (BREAKING_KEYS.test(Buffer.from(bytes).toString('latin1'))) this.brokenAt = Date.now();
	}

	/** The CLI has ended. Nothing more is told. */
	end(): void {
		this.isOver = true;
		clearTimeout(this.soon);
	}

	private lookIn(ms: number): void {
		if (this.isOver) return;
		this.soon ??= setTimeout(() => {
			this.soon = undefined;
			this.look();
		}, ms).unref();
	}

	private look(): void {
		const now = Date.now();
		const state = this.place.state();
		if (state === this.seen) {
			// Seen twice: one look may fall on a half picture.
			if (state === 'working' || state === 'asking') this.workedAt = now;
		} else {
			// What it did in a long time that the screen did not tell of, an event may have told.
			if (this.seen === undefined && now - this.seenAt >= STEADY_MS) this.told = undefined;
			[this.seen, this.seenAt] = [state, now];
		}
		if (state === undefined || state === this.told) return;
		// It is told again even after a moment of another state: that was a turn, of which an event may have told.
		this.told = undefined;
		if (now - this.seenAt < STEADY_MS) return this.changed();
		this.tell(state);
	}

	private tell(state: ShownState): void {
		const isBrokenOff = state === 'idle' && this.seenAt - this.brokenAt < BREAKS_OFF_MS;
		try {
			this.place.tell({
				state,
				at: new Date(this.seenAt).toISOString(),
				...(this.workedAt !== undefined && { workedAt: new Date(this.workedAt).toISOString() }),
				...(isBrokenOff && { isBrokenOff }),
			});
			this.told = state;
		} catch {
			this.lookIn(AGAIN_MS);
		}
	}
}
