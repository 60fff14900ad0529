import { setImmediate as nextTurn } from 'node:timers/promises';
import { KeysInPieces } from '../traffic/privateKeys.ts';

/** In UTF-16 units, about. A larger piece would keep the runner from its agent while secrets are removed. */
const BLOCK = 64 * 1024;
/** Most text that waits for the disk: an agent can print faster. */
const MOST_WAITING = 2 * 1024 * 1024;

/** Appends an agent's output to a log, in order, without making anybody wait. Excess text is left out, and the log says so. */
export class LogWriter {
	private readonly keys = new KeysInPieces();
	/** The waiting text, in whole lines: the name before a secret identifies it. */
	private readonly blocks: string[] = [];
	private waiting = 0;
	/** Left out before what waits; the beginning of the log is on the disk already. */
	private leftOut = 0;
	private writing: Promise<void> | undefined;

	/** @param append removes remaining secrets; if it fails, the text is lost */
	constructor(private readonly append: (text: string) => Promise<void>) {}

	/** @param text of whole lines */
	say(text: string): void {
		const excess = text.length - MOST_WAITING / 2;
		const piece = excess > 0 ? `${text.slice(0, -excess)}${leftOutLine(excess)}` : text;
		this.keep(this.keys.redact(piece));
		while (this.waiting > MOST_WAITING) this.leftOut += this.take().length;
		this.writing ??= this.write();
	}

	/** Resolves once everything is written, except text that the disk refused. */
	async settle(): Promise<void> {
		await this.writing;
	}

	private async write(): Promise<void> {
		// More may have been said by then.
		await nextTurn();
		while (this.blocks.length > 0) {
			const note = this.leftOut > 0 ? leftOutLine(this.leftOut) : '';
			this.leftOut = 0;
			await this.append(note + this.take()).catch(() => undefined);
		}
		this.writing = undefined;
	}

	private keep(piece: string): void {
		const last = this.blocks.length - 1;
		const open = this.blocks[last];
		if (open !== undefined && open.length < BLOCK) this.blocks[last] = open + piece;
		else this.blocks.push(piece);
		this.waiting += piece.length;
	}

	private take(): string {
		const block = this.blocks.shift() ?? '';
		this.waiting -= block.length;
		return block;
	}
}

function leftOutLine(length: number): string {
	return `\n[… ${length} characters left out …]\n`;
}
