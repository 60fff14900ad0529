const NEWLINE = 0x0a;

/** Longest line that is kept, in bytes: an agent's answer of 50 MB comes as one line. */
const LONGEST = 256 * 1024 * 1024;

/** Splits a stream of bytes into lines of UTF-8, without copying the earlier part for each new piece. */
export class Lines {
	private pieces: Buffer[] = [];
	private size = 0;

	constructor(private readonly onLine: (line: string) => void) {}

	push(data: Buffer): void {
		let start = 0;
		for (;;) {
			const end = data.indexOf(NEWLINE, start);
			if (end === -1) break;
			this.keep(data.subarray(start, end));
			this.end();
			start = end + 1;
		}
		this.keep(data.subarray(start));
	}

	/** A last part without a newline is a line too. */
	end(): void {
		if (this.size > 0 && this.size <= LONGEST) this.onLine(Buffer.concat(this.pieces).toString('utf8'));
		this.pieces = [];
		this.size = 0;
	}

	private keep(piece: Buffer): void {
		if (piece.length === 0) return;
		this.size += piece.length;
		if (this.size <= LONGEST) this.pieces.push(piece);
		else this.pieces = [];
	}
}
