import headless from '@xterm/headless';
import type { ScreenProfile } from '../../core/driver/screen.ts';
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
		this.terminal.write(this.decoder.decode(bytes, { stream: true }), seen);
	}

	resize(columns: number, rows: number): void {
		this.terminal.resize(columns, rows);
	}

	/** `undefined` where the screen shows none: a question, another view, half a picture. */
	inputLine(): InputLine | undefined {
		const { active } = this.terminal.buffer;
		// Elsewhere the last lines may be those of any program.
		if (!this.profile || active.type !== 'alternate') return undefined;
		return inputLineIn(this.lines(), this.terminal.cols, this.profile);
	}

	/** `undefined` while the CLI says that it draws. */
	shown(): Shown | undefined {
		if (this.terminal.modes.synchronizedOutputMode) return undefined;
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
export function inputLineIn(
	lines: readonly string[],
	columns: number,
	{ rule, first, further, idle }: ScreenProfile,
): InputLine | undefined {
	const whole = rule.repeat(columns);
	const [footer = '', below, ...above] = lines.toReversed();
	const end = above.indexOf(whole);
	if (below !== whole || end < 1 || end > MOST_LINES) return undefined;
	const [head = '', ...tail] = above.slice(0, end).toReversed();
	const typed = [first.exec(head), ...tail.map(line => further.exec(line))];
	if (typed.includes(null)) return undefined;
	const text = typed.map(match => match?.[1] ?? '').join('\n');
	// A CLI may have written blanks over what was taken back.
	return { typed: text, isFree: text.trim() === '' && idle.test(footer) };
}
