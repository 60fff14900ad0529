import { describe, expect, it } from 'vitest';
import { qrCode, qrPicture } from '../../../src/server/qrCode.ts';
import { readQrCode } from '../../support/readQrCode.ts';

const LINKS = [
	'http://127.0.0.1:45123/#pair=abcdefghijklmnopqrstuv',
	'https://desk.example.net/#pair=A-_z0123456789ABCDEFGH',
	'https://a-longer-name-of-a-tunnel.example.net/#pair=Zz9Zz9Zz9Zz9Zz9Zz9Zz9Z',
];

/** In cells. */
const BORDER = 2;
/** Of the SVG, each way. */
const CELL = 10;

function withoutBorder(rows: readonly (readonly boolean[])[]): boolean[][] {
	const { length } = rows[0] ?? [];
	return rows.slice(BORDER, length - BORDER).map(row => row.slice(BORDER, length - BORDER));
}

/** A line holds two rows. What is drawn is light: terminals are dark. */
function cellsOfText(text: string): boolean[][] {
	const rows = text
		.split('\n')
		.flatMap(line => ['▀█', '▄█'].map(drawn => Array.from(line, each => !drawn.includes(each))));
	return withoutBorder(rows);
}

function cellsOfPicture(svg: string): boolean[][] {
	const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) / CELL;
	const drawn = new Set(Array.from(svg.matchAll(/M(\d+),(\d+)h/g), ([, x, y]) => `${x},${y}`));
	const row = (y: number) => Array.from({ length: size }, (_, x) => drawn.has(`${x * CELL},${y * CELL}`));
	return withoutBorder(Array.from({ length: size }, (_, y) => row(y)));
}

describe('the code for a phone’s camera', () => {
	it.each(LINKS)('is the link itself, in a terminal and in a window: %s', link => {
		expect(readQrCode(cellsOfText(qrCode(link)))).toBe(link);
		expect(readQrCode(cellsOfPicture(qrPicture(link)))).toBe(link);
	});
});
