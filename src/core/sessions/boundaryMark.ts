import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { Mailbox } from '../mailbox/mailbox.ts';

/** Some shells compare file times by the second. A file younger than this is looked at again. */
const MARGIN_MS = 2000;

/**
 * Tells the guard that no queued message is due between tool calls. So feedback that waits for the end of a long turn does not start this
 * program at every tool call. `.boundary` is dated to before the look at the inbox: anything newer, the inbox itself included, makes the
 * guard ask again.
 */
export class BoundaryMark {
	private constructor(
		private readonly mailbox: Mailbox,
		private readonly temporary: string,
		private readonly lookedAtMs: number,
	) {}

	/** To be called before the inbox is looked at, and within {@link Mailbox.holding}, as all of this. */
	static begin(mailbox: Mailbox): BoundaryMark {
		const temporary = mailbox.beside(`.boundary-${process.pid}.tmp`);
		// A file that a killed process with this pid left, or a link. Nancy writes to neither.
		rmSync(temporary, { force: true });
		writeFileSync(temporary, '', { mode: 0o600, flag: 'wx' });
		// The file system's own clock, which may differ from this machine's.
		return new BoundaryMark(mailbox, temporary, statSync(temporary).mtimeMs);
	}

	nothingWasDue(): void {
		if (!this.mailbox.isWaiting()) return this.discard();
		const time = (this.lookedAtMs - MARGIN_MS) / 1000;
		utimesSync(this.temporary, time, time);
		renameSync(this.temporary, this.mailbox.beside('.boundary'));
	}

	discard(): void {
		rmSync(this.temporary, { force: true });
	}
}
