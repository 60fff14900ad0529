/** Text for a terminal that shows what programs printed, and lets none of them control it. */

const COLORS = { bold: '1', dim: '2', red: '31', green: '32', blue: '34' } as const;

export function colored(color: keyof typeof COLORS, text: string): string {
	return text === '' ? '' : `\u001b[${COLORS[color]}m${text}\u001b[0m`;
}

/** Escape sequences of every kind: CSI, OSC and other strings, and two-character ones. */
const SEQUENCE =
	// oxlint-disable-next-line no-control-regex -- control characters are what it is about
	/\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;
// oxlint-disable-next-line no-control-regex -- likewise
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Lines without anything that a terminal would obey. */
export function plainLines(text: string): string[] {
	return text
		.replaceAll(SEQUENCE, '')
		.split(/\r?\n/)
		.map(line => line.replaceAll(CONTROL, ''));
}

/** Whole lines of a text that comes in pieces. */
export class LineSplitter {
	private partial = '';

	take(text: string): string[] {
		const lines = `${this.partial}${text}`.split('\n');
		this.partial = lines.pop() ?? '';
		return lines;
	}

	/** What came after the last line end. */
	rest(): string[] {
		const { partial } = this;
		this.partial = '';
		return partial === '' ? [] : [partial];
	}
}
