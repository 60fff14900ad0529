import type { DelegateStatus } from '../../protocol/delegate.ts';
import type { Delegate, Delegates } from './delegates.ts';

/** Shortest time between two writes of a status file, in milliseconds: four times a second. */
const EVERY_MS = 250;

/** Keeps a delegate's status file up to date while it runs; writes it whole, and not more often than anybody looks. */
export class StatusWriter {
	private timer: NodeJS.Timeout | undefined;
	private writing: Promise<void> = Promise.resolve();
	private lastMs = 0;

	constructor(
		private readonly delegates: Delegates,
		private readonly delegate: Delegate,
	) {}

	get status(): DelegateStatus {
		return this.delegate.status;
	}

	/** Changes what is true now; on disk within {@link EVERY_MS}. */
	change(change: Partial<DelegateStatus>): void {
		Object.assign(this.delegate.status, change);
		this.timer ??= setTimeout(() => void this.write(), Math.max(0, this.lastMs + EVERY_MS - Date.now()));
	}

	/** Resolves once the newest status is on disk. A disk that took nothing does not end a run: the next change tries again. */
	async flush(): Promise<void> {
		await this.write();
	}

	private write(): Promise<void> {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.lastMs = Date.now();
		this.writing = this.writing
			.then(() => this.delegates.writeStatus(this.delegate.record.id, this.delegate.status))
			.catch(() => undefined);
		return this.writing;
	}
}
