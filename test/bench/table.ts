/** One line of the table: a figure and what it is measured against, taken in the same run. */
export interface Row {
	what: string;
	value: string;
	against: string;
	ratio?: number;
	goal: string;
	/** Whether the goal is met; absent where there is none. */
	met?: boolean;
}

export function median(values: readonly number[]): number {
	return quantile(values, 0.5);
}

/** @param share 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function milliseconds(value: number): string {
	return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

export function print(rows: readonly Row[]): void {
	const cells = [
		['what', 'value', 'against', 'ratio', 'goal', 'met'],
		...rows.map(row => [
			row.what,
			row.value,
			row.against,
			row.ratio === undefined ? '' : `${row.ratio.toFixed(2)}x`,
			row.goal,
			row.met === undefined ? '' : row.met ? 'yes' : 'NO',
		]),
	];
	const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => row[column]?.length ?? 0)));
	for (const row of cells)
		process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
}
