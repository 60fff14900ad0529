import { lstat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NO_FACTS, type TranscriptFacts, type TranscriptFormat } from '../driver/transcript.ts';
import { foldLine, presenceIn, type Shown } from './recordSearch.ts';
import { readNewLines, type LineCursor } from '../files/jsonLines.ts';

/** Lines folded at a stretch before other work gets its turn. */
const LINES_AT_A_STRETCH = 2000;

/** Follows one agent's own record of a session. Each {@link read} folds the new lines. */
export class Transcript {
	private cursor: LineCursor | undefined;
	private known: TranscriptFacts = NO_FACTS;
	private seen = '';
	private reading: Promise<boolean> | undefined;

	constructor(
		readonly file: string,
		private readonly format: TranscriptFormat,
	) {}

	get facts(): TranscriptFacts {
		return this.known;
	}

	/** Reads the new lines; true if they changed the knowledge. A file that was truncated or replaced is read anew. */
	read(signal?: AbortSignal): Promise<boolean> {
		this.reading ??= this.readOnce(signal).finally(() => (this.reading = undefined));
		return this.reading;
	}

	/** Whether the whole of this message is among the texts that hooks handed over. */
	shows(message: Shown): boolean {
		return presenceIn(this.known.deliveredTexts, message) === 'whole';
	}

	private async readOnce(signal: AbortSignal | undefined): Promise<boolean> {
		// The path comes from a hook's payload: it names a plain file, or nothing is read. It may also be on a disk that never answers.
		if (!isAbsolute(this.file)) return false;
		const found = await lstat(this.file, { bigint: true }).catch(() => undefined);
		const stamp = found?.isFile() ? `${found.ino}/${found.size}/${found.mtimeNs}` : '';
		if (stamp === '' || stamp === this.seen) return false;
		const before = this.known;
		for (let isMore = true; isMore && !signal?.aborted;) {
			let lines = 0;
			const pause = new AbortController();
			this.cursor = await readNewLines(
				this.file,
				this.cursor,
				{
					onRestart: () => (this.known = NO_FACTS),
					onLine: line => {
						this.known = foldLine(this.format, this.known, line);
						if (++lines === LINES_AT_A_STRETCH) pause.abort();
					},
				},
				{ signal: pause.signal },
			);
			isMore = pause.signal.aborted;
			if (isMore) await nextTurn();
		}
		if (!signal?.aborted) this.seen = stamp;
		return this.known !== before;
	}
}
