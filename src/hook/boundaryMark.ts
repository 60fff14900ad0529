import { readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
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
	static async begin(mailboxFolder: string): Promise<BoundaryMark> {
		const temporary = join(mailboxFolder, `.boundary-${process.pid}.tmp`);
		await writeFile(temporary, '', { mode: 0o600 });
		// The file system's own clock, which need not be this machine's.
		return new BoundaryMark(mailboxFolder, temporary, (await stat(temporary)).mtimeMs);
	}

	async nothingWasDue(): Promise<void> {
		const inbox = await readdir(join(this.mailboxFolder, 'inbox')).catch(() => []);
		if (!inbox.some(name => name.endsWith('.md'))) return this.discard();
		const time = (this.lookedAtMs - MARGIN_MS) / 1000;
		await utimes(this.temporary, time, time);
		await rename(this.temporary, join(this.mailboxFolder, '.boundary'));
	}

	async discard(): Promise<void> {
		await rm(this.temporary, { force: true });
	}
}
