import type { Disposable } from '../../base/lifetime.ts';

/** At most one announcement in this time, in milliseconds; the first at once. */
const EVERY_MS = 50;

/** Announces changes. Many changes at once become one announcement. */
export class Announcer implements Disposable {
	private timer: NodeJS.Timeout | undefined;
	private lastMs = 0;

	constructor(private readonly tell: () => void) {}

	dispose(): void {
		clearTimeout(this.timer);
	}

	announce(): void {
		if (this.timer) return;
		const waitMs = this.lastMs + EVERY_MS - Date.now();
		if (waitMs <= 0) this.fire();
		else this.timer = setTimeout(() => this.fire(), waitMs);
	}

	private fire(): void {
		this.timer = undefined;
		this.lastMs = Date.now();
		this.tell();
	}
}
