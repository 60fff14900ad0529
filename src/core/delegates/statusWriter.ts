import type { DelegateStatus } from '../../protocol/delegate.ts';

/** Shortest time between two writes of a status file, in milliseconds: four times a second. */
const EVERY_MS = 250;

/** Keeps a status file up to date while an agent runs; writes it whole, and not more often than anybody looks. */
export class StatusWriter {
	private timer: NodeJS.Timeout | undefined;
	private writing: Promise<void> = Promise.resolve();
	private lastMs = 0;

	constructor(
		readonly status: DelegateStatus,
		private readonly save: (status: DelegateStatus) => Promise<void>,
	) {}

	/** Changes what is true now; on disk within {@link EVERY_MS}. */
	change(change: Partial<DelegateStatus>): void {
		Object.assign(this.status, change);
		this.timer ??= setTimeout(() => void this.flush(), Math.max(0, this.lastMs + EVERY_MS - Date.now()));
	}

	/** Resolves once the newest status is on disk. A disk that took nothing does not end a run: the next change tries again. */
	flush(): Promise<void> {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.lastMs = Date.now();
		this.writing = this.writing.then(() => this.save(this.status)).catch(() => undefined);
		return this.writing;
	}
}
