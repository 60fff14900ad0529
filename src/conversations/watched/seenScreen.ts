import headless from '@xterm/headless';
import { HEAD_LINES, type ScreenProfile } from '../../core/driver/screen.ts';
import { Backlog } from './backlog.ts';
import type { Shown } from './shownState.ts';
import { Signals } from './signals.ts';

/** What stands in the input line. */
export interface InputLine {
	/** Lines that the screen has broken are lines of their own. */
	readonly typed: string;
	/** The CLI waits for a prompt, and nothing but blanks is typed. */
	readonly isFree: boolean;
}

/** More lines than anybody types are none of an input line. */
const MOST_LINES = 12;

/** The screen that a CLI's output makes. It answers none of the CLI's questions: the user's own terminal does. Nothing of it is kept. */
export class SeenScreen {
	private readonly terminal: headless.Terminal;
	private readonly signals: Signals;
	/** The emulator's own one loses a character that comes in two pieces, if the first piece ends with the byte 0x80 (6.0.0). */
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	private readonly backlog = new Backlog((bytes, seen) =>
		this.terminal.write(this.decoder.decode(bytes, { stream: true }), seen),
	);

	constructor(
		private readonly profile: ScreenProfile | undefined,
		columns: number,
		rows: number,
	) {
		this.terminal = new headless.Terminal({
			cols: columns,
			rows,
			scrollback: 0,
			allowProposedApi: true,
			// It would write into the terminal of the user.
			logLevel: 'off',
		});
		this.signals = new Signals(this.terminal);
	}

	/** @param seen is called once these bytes are on the screen */
	write(bytes: Uint8Array, seen: () => void): void {
		this.backlog.add(bytes, seen);
	}

	/** Once the bytes that came before are on the screen. */
	resize(columns: number, rows: number): void {
		this.backlog.add(Buffer.of(), () => this.terminal.resize(columns, rows));
	}

	/** It shows all that the CLI has drawn. */
	get isCurrent(): boolean {
		return this.backlog.isEmpty;
	}

	/** `undefined` where the screen shows none: a question, another view, half a picture, an old one. */
	inputLine(): InputLine | undefined {
		if (this.backlog.isFlood) return undefined;
		const { active } = this.terminal.buffer;
		// Elsewhere the last lines may be those of any program.
		if (!this.profile || active.type !== this.profile.buffer) return undefined;
		const lines = this.lines().map(line => line.trimEnd());
		const line = inputLineIn(lines, this.terminal.cols, this.profile);
		const { idleTitle } = this.profile;
		const isIdle = idleTitle === 'none' || idleTitle.test(this.signals.title);
		return line && { ...line, isFree: line.isFree && isIdle };
	}

	/** `undefined` while the CLI says that it draws, and in a flood. */
	shown(): Shown | undefined {
		if (this.backlog.isFlood || this.terminal.modes.synchronizedOutputMode) return undefined;
		const { title, status, isTurnOpen } = this.signals;
		return { lines: this.lines(), title, status, isTurnOpen };
	}

	private lines(): string[] {
		const { active } = this.terminal.buffer;
		return Array.from(
			{ length: this.terminal.rows },
			(_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
		);
	}
}

/** @param lines all of the screen, without trailing blanks */
function inputLineIn(
	lines: readonly string[],
	columns: number,
	{ fills, above, below, first, further, placeholder, head, footers, idle }: ScreenProfile,
): InputLine | undefined {
	const isEdge = (line: string | undefined, marks: readonly string[]) =>
		marks.some(mark => line === mark.repeat(columns).trimEnd());
	const end = fills ? lines.length : lines.findLastIndex(line => line !== '') + 1;
	const bottom = end - footers - 1;
	if (!isEdge(lines[bottom], below)) return undefined;
	const top = lines.slice(0, bottom).findLastIndex(line => isEdge(line, above));
	const [begin = '', ...rest] = lines.slice(top + 1, bottom);
	if (top < 0 || rest.length >= MOST_LINES) return undefined;
	if (!head.test(lines.slice(Math.max(0, top - HEAD_LINES), top).join('\n'))) return undefined;
	const typed = [first.exec(begin), ...rest.map(line => further.exec(line))];
	if (typed.includes(null)) return undefined;
	const text = typed.map(match => match?.[1] ?? '').join('\n');
	const isEmpty = text.trim() === '' || text.trim() === placeholder;
	return { typed: isEmpty ? '' : text, isFree: isEmpty && idle.test(lines.slice(bottom + 1, end).join('\n')) };
}
