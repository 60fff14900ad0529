import headless from '@xterm/headless';
import type { IBufferCell } from '@xterm/headless';
import type { Color, Line, Span } from './line.ts';

/** Lines that a picture can have; what scrolled out above them is left out. */
const MOST_LINES = 2000;

/**
 * What a terminal shows after a program's output, with its colours. Nothing in the output can reach further than this terminal.
 * @param columns where lines are broken
 */
export async function linesOfTerminal(output: string, columns: number): Promise<Line[]> {
	const terminal = new headless.Terminal({
		cols: columns,
		rows: 24,
		scrollback: MOST_LINES,
		convertEol: true,
		allowProposedApi: true,
	});
	await new Promise<void>(resolve => terminal.write(output, resolve));
	const { active } = terminal.buffer;
	const lines: Line[] = [];
	for (let y = 0; y < active.length; y++) {
		const line = active.getLine(y);
		const spans: Span[] = [];
		for (let x = 0; x < (line?.length ?? 0); x++) {
			const cell = line?.getCell(x);
			// The second half of a wide character has none.
			if (!cell || cell.getWidth() === 0) continue;
			const span = spanOf(cell);
			const last = spans.at(-1);
			if (last && sameLooks(last, span)) spans[spans.length - 1] = { ...last, text: last.text + span.text };
			else spans.push(span);
		}
		lines.push(trimmed(spans));
	}
	terminal.dispose();
	while (lines.length > 0 && lines.at(-1)?.length === 0) lines.pop();
	return lines;
}

function spanOf(cell: IBufferCell): Span {
	const front = cell.isFgDefault() ? undefined : cell.isFgRGB() ? rgb(cell.getFgColor()) : cell.getFgColor();
	const back = cell.isBgDefault() ? undefined : cell.isBgRGB() ? rgb(cell.getBgColor()) : cell.getBgColor();
	const isInverse = cell.isInverse() !== 0;
	return {
		text: cell.isInvisible() ? ' '.repeat(cell.getWidth()) : cell.getChars() || ' ',
		color: isInverse ? (back ?? 'page') : front,
		background: isInverse ? (front ?? 'text') : back,
		isBold: cell.isBold() !== 0,
		isItalic: cell.isItalic() !== 0,
		isUnderlined: cell.isUnderline() !== 0,
		isDim: cell.isDim() !== 0,
	};
}

function sameLooks(one: Span, other: Span): boolean {
	return (['color', 'background', 'isBold', 'isItalic', 'isUnderlined', 'isDim'] as const).every(
		key => one[key] === other[key],
	);
}

/** Without the blanks that a terminal has to the right of its text. */
function trimmed(spans: readonly Span[]): Line {
	const kept = [...spans];
	while (kept.length > 0) {
		const last = kept.pop();
		if (!last) break;
		const text = last.background === undefined ? last.text.trimEnd() : last.text;
		if (text === '') continue;
		kept.push({ ...last, text });
		break;
	}
	return kept;
}

function rgb(color: number): Color {
	return `#${color.toString(16).padStart(6, '0')}`;
}
