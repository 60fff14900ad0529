/** How long rows stay where they are after the user has touched the view, in milliseconds. */
const HOLD_MS = 10_000;

/** A view in sight asks for all of its rows every few seconds, so a row that nobody has asked for so long is gone. In milliseconds. */
const FORGET_MS = 60_000;

/**
 * Whether the user is in a view. VS Code does not tell where the pointer is. So the user counts as there for some seconds after a selection,
 * a hover, a row's command, or a row that was opened or closed.
 */
export class Touches {
	private touchedMs = -Infinity;

	/** @param isElsewhere the user can see nothing of the view, or looks at another window */
	constructor(
		private readonly isElsewhere: () => boolean,
		private readonly now: () => number = Date.now,
	) {}

	/** The user is in the view. */
	touch(): void {
		this.touchedMs = this.now();
	}

	/** The user has asked for other rows. */
	release(): void {
		this.touchedMs = -Infinity;
	}

	isThere(): boolean {
		return !this.isElsewhere() && this.now() - this.touchedMs < HOLD_MS;
	}
}

/** What rows depend on, as it was while the user is in their view. So no row moves under the pointer. */
export class Held<T> {
	/** The row that was asked for last comes last. */
	private readonly shown = new Map<string, { readonly value: T; readonly atMs: number }>();

	constructor(
		private readonly touches: Pick<Touches, 'isThere'>,
		private readonly now: () => number = Date.now,
	) {}

	/**
	 * @param key of the thing whose rows depend on it
	 * @param isShown whether VS Code has these rows already
	 */
	of(key: string, present: T, isShown = true): T {
		this.forgetOld();
		const shown = this.shown.get(key);
		const value = shown && isShown && this.touches.isThere() ? shown.value : present;
		this.shown.delete(key);
		this.shown.set(key, { value, atMs: this.now() });
		return value;
	}

	private forgetOld(): void {
		for (const [key, { atMs }] of this.shown) {
			if (this.now() - atMs < FORGET_MS) return;
			this.shown.delete(key);
		}
	}
}
