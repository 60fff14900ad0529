import { Emitter, type Event } from '../../base/event.ts';
import { visible } from '../../base/visible.ts';

/** Text for a terminal that shows what programs printed, and lets none of them control it. */

const COLORS = { bold: '1', dim: '2', red: '31', green: '32', blue: '34' } as const;

/** A part of a line, perhaps in a colour. */
export type Piece = string | readonly [color: keyof typeof COLORS, text: string];

/** The only way of a text into a terminal of the window's own: each piece passes as one plain line. */
export class TerminalLines {
	private readonly written = new Emitter<string>();
	readonly onDidWrite: Event<string> = this.written.event;

	print(...pieces: readonly Piece[]): void {
		this.written.fire(`${pieces.map(painted).join('')}\r\n`);
	}
}

function painted(piece: Piece): string {
	if (typeof piece === 'string') return plainLines(piece).join(' ');
	const text = plainLines(piece[1]).join(' ');
	return text === '' ? '' : `\u001b[${COLORS[piece[0]]}m${text}\u001b[0m`;
}

/** Escape sequences of every kind: CSI, OSC and other strings, and two-character ones. */
const SEQUENCE =
	// oxlint-disable-next-line no-control-regex -- control characters are what it is about
	/\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;
// oxlint-disable-next-line no-control-regex -- likewise
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Lines without anything that a terminal would obey, and with everything visible that a reader would not see. */
export function plainLines(text: string): string[] {
	return text
		.replaceAll(SEQUENCE, '')
		.split(/\r?\n/)
		.map(line => visible(line.replaceAll(CONTROL, '')));
}

/** In UTF-16 units. */
const LONGEST_PRINTED = 300;

/** The lines of a text for a terminal, without what controls the terminal. If a line was written over, its last words count. */
export function printedLines(text: string): string[] {
	const lines = text.split('\n').map(line => line.replace(/\r+$/, '').split('\r').at(-1) ?? '');
	return plainLines(lines.join('\n'))
		.map(line => line.trimEnd().slice(0, LONGEST_PRINTED))
		.filter(line => line !== '');
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
