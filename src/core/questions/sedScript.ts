/**
 * Between two signs. A list in brackets may not hold the sign: versions of sed differ there. Like all that follows, it reads a script in one
 * way alone: a long script with two ways for each command would never be read to its end.
 */
const PATTERN = String.raw`(?:\\[^c\n]|\[\^?(?!\^)(?:\](?:ITEM)*|(?:ITEM)+)\]|(?!SIGN)[^\\\n[])*`.replaceAll(
	'ITEM',
	String.raw`\[:\w+:\]|(?!SIGN)[^\]\n[\\]`,
);
const patternTo = (sign: string) => PATTERN.replaceAll('SIGN', sign);

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/${patternTo('/')}/[IM]*)`;

/** Which lines, and whether the others. */
const LINES = String.raw`(?:${ADDRESS}(?:,[+~]?${ADDRESS})? *)?(?:![ !]*)?`;

/** Commands that only change or print the text. `a`, `i` and `c` take the rest of the line. */
const COMMAND = [
	String.raw`[dDgGhHlnNpPxz={}]`,
	String.raw`[qQ]\d*(?!\d)`,
	String.raw`[:btT] *\w*(?!\w)`,
	String.raw`[aic][^\n]*(?=\n|$)`,
	String.raw`[sy](?<sign>[^\w\s\\[\]])${patternTo(String.raw`\k<sign>`)}\k<sign>(?:\\.|(?!\k<sign>)[^\\\n])*\k<sign>[gpiImM\d]*(?![gpiImM\d])`,
].join('|');

const PLAIN = new RegExp(String.raw`^(?:[\s;]*${LINES}(?:${COMMAND}))*[\s;]*$`);

/** Whether a script of sed runs nothing and names no file, as far as this small reader knows. Other scripts may be as plain. */
export function isPlainSed(args: readonly string[]): boolean {
	if (args.some(arg => /^-[abnErsuz]*f|^--fi/.test(arg))) return false;
	const given = args.flatMap((arg, at) => {
		const after = /^(?:-[abnErsuz]*e|--ex?p?r?e?s?s?i?o?n?(?:=|$))(.*)$/s.exec(arg)?.[1];
		return after === undefined ? [] : [after === '' ? (args[at + 1] ?? '') : after];
	});
	// The suffix of a copy is a word of its own on macOS, mostly an empty one.
	const [first = ''] = args.filter(arg => arg !== '' && !arg.startsWith('-'));
	return (given.length > 0 ? given : [first]).every(script => PLAIN.test(script));
}
