import { setTimeout as sleep } from 'node:timers/promises';
import type { DelegateStatus } from '../../protocol/delegate.ts';

/** At most so many writes of a status file in a second. */
const MOST_A_SECOND = 4;
/** Between two writes of slow changes, in milliseconds: leaves one write a second for urgent ones. */
const EVERY_MS = 350;

/** Keeps a status file up to date while an agent runs. Writes it whole, and not more often than anybody looks. */
export class StatusWriter {
	private timer: NodeJS.Timeout | undefined;
	private writing: Promise<void> = Promise.resolve();
	/** The write that waits for its turn: it will have whatever changes until then. */
	private next: Promise<void> | undefined;
	/** When the last few writes began; somebody else has just written before this begins, and so has its owner. */
	private readonly begun: number[] = [Date.now(), Date.now()];

	constructor(
		readonly status: DelegateStatus,
		private readonly save: (status: DelegateStatus) => Promise<void>,
	) {}

	/** Changes the present status; on disk soon. */
	change(change: Partial<DelegateStatus>): void {
		Object.assign(this.status, change);
		if (this.next) return;
		const dueMs = (this.begun.at(-1) ?? 0) + EVERY_MS - Date.now();
		this.timer ??= setTimeout(() => void this.flush(), Math.max(0, dueMs));
	}

	/** Resolves once the newest status is on disk. A refused write does not end a run: the next change tries again. */
	flush(): Promise<void> {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.next ??= this.writing = this.writing.then(() => this.write()).catch(() => undefined);
		return this.next;
	}

	/** Writes nothing more. Resolves when its owner may write, once. */
	async close(): Promise<void> {
		clearTimeout(this.timer);
		await this.writing;
		await this.turn();
	}

	private async write(): Promise<void> {
		await this.turn();
		this.next = undefined;
		await this.save(this.status);
	}

	private async turn(): Promise<void> {
		const earliest = (this.begun.at(-MOST_A_SECOND) ?? 0) + 1000;
		await sleep(Math.max(0, earliest - Date.now()));
		this.begun.push(Date.now());
		this.begun.splice(0, this.begun.length - MOST_A_SECOND);
	}
}
