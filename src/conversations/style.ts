/** How a line of Nancy's own looks in a terminal. An agent's words have none. */
export type Style = 'dim' | 'red' | 'green';

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
	dim: [2, 22],
	red: [31, 39],
	green: [32, 39],
};

/** @param env with `NO_COLOR` (no-color.org) there is no colour, and none on a terminal that is dumb */
export function styled(text: string, style: Style | undefined, env = process.env): string {
	if (style === undefined || Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb') return text;
	const [on, off] = CODES[style];
	return `\u001b[${on}m${text}\u001b[${off}m`;
}
