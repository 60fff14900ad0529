/** Where a mask of ISO/IEC 18004 inverts a cell. */
const MASKS: readonly ((x: number, y: number) => number)[] = [
	(x, y) => (x + y) % 2,
	(_, y) => y % 2,
	x => x % 3,
	(x, y) => (x + y) % 3,
	(x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
	(x, y) => ((x * y) % 2) + ((x * y) % 3),
	(x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
	(x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

const BYTES = 0b0100;

/**
 * The text of a QR code that has no damage, as bytes: of version 2 to 5 with the lowest correction, whose data are in one block.
 * @param cells whether each is dark, without the border
 */
export function readQrCode(cells: readonly (readonly boolean[])[]): string {
	const size = cells.length;
	if (size < 25 || size > 37 || cells.some(row => row.length !== size)) throw new Error(`it has ${size} rows`);
	const dark = (x: number, y: number) => cells[y]?.[x] ?? false;
	const masked = Array.from({ length: 5 }, (_, x) => Number(dark(x, 8))).join('');
	// The format's own mask begins with 10101. Its first two bits are the correction, of which 01 is the lowest.
	const format = Number.parseInt(masked, 2) ^ 0b10101;
	if (format >> 3 !== 0b01) throw new Error(`its correction is ${format >> 3}`);
	const inverts = MASKS[format & 0b111];
	const bits: number[] = [];
	for (const [x, y] of wayThrough(size))
		if (!isFixed(x, y, size)) bits.push(Number(dark(x, y) !== (inverts?.(x, y) === 0)));
	const number = (at: number, length: number) => Number.parseInt(bits.slice(at, at + length).join(''), 2);
	if (number(0, 4) !== BYTES) throw new Error('it holds no bytes');
	return Buffer.from(Array.from({ length: number(4, 8) }, (_, index) => number(12 + 8 * index, 8))).toString('utf8');
}

/** In pairs of columns from the right, up and down in turn. */
function* wayThrough(size: number): Generator<[x: number, y: number]> {
	for (let right = size - 1; right >= 1; right -= right === 8 ? 3 : 2)
		for (let step = 0; step < size; step++)
			for (const x of [right, right - 1]) yield [x, ((right + 1) & 2) === 0 ? size - 1 - step : step];
}

/** Corners with the format, lines between them, and the small square. */
function isFixed(x: number, y: number, size: number): boolean {
	const isCorner = (x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8);
	const isSquare = Math.abs(x - (size - 7)) <= 2 && Math.abs(y - (size - 7)) <= 2;
	return isCorner || isSquare || x === 6 || y === 6;
}
