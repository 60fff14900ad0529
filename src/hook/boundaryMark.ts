import { readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Some shells compare file times by the second. What is younger than this when looked at is looked at again. */
const MARGIN_MS = 2000;

/**
 * Lets the guard know that nothing queued is due between tool calls, so that a feedback waiting for the end of a long turn does not
 * start this program at every tool call. `.boundary` is dated to before the inbox was looked at: whatever is newer, the
 * inbox itself included, makes the guard ask again.
 */
export class BoundaryMark {
	private constructor(
		private readonly mailboxFolder: string,
		private readonly temporary: string,
		private readonly lookedAtMs: number,
	) {}

	/** To be called before the inbox is looked at. */
	static begin(mailboxFolder: string): BoundaryMark {
		const temporary = join(mailboxFolder, `.boundary-${process.pid}.tmp`);
		// One that a killed process of this number left, or a link: neither is written to.
		rmSync(temporary, { force: true });
		writeFileSync(temporary, '', { mode: 0o600, flag: 'wx' });
		// The file system's own clock, which need not be this machine's.
		return new BoundaryMark(mailboxFolder, temporary, statSync(temporary).mtimeMs);
	}

	nothingWasDue(): void {
		const inbox = readdirSync(join(this.mailboxFolder, 'inbox'));
		if (!inbox.some(name => name.endsWith('.md'))) return this.discard();
		const time = (this.lookedAtMs - MARGIN_MS) / 1000;
		utimesSync(this.temporary, time, time);
		renameSync(this.temporary, join(this.mailboxFolder, '.boundary'));
	}

	discard(): void {
		rmSync(this.temporary, { force: true });
	}
}
