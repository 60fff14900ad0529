import type { OptionMarks, OptionMeaning, QuestionMarks } from '../../core/driver/screenStates.ts';

export interface ShownOption {
	readonly label: string;
	readonly means: OptionMeaning;
	/** What chooses it, or begins its words; `undefined` if the screen does not tell. */
	readonly keys: string | undefined;
}

/** A question that stands on the screen. */
export interface ShownQuestion {
	readonly state: 'asking' | 'trust';
	/** The sentence. */
	readonly asks: string;
	/** The CLI's word for its tool, if the dialog has one. */
	readonly tool: string | undefined;
	/** What it says of the call beside its tool and its text; it may be cut. */
	readonly about: string;
	/** The text in it, such as a command. Lines that the screen has broken are lines of their own. */
	readonly what: string;
	readonly options: readonly ShownOption[];
}

/** @param lines of the screen, without blank ones at the end */
export function questionIn(lines: readonly string[], marks: readonly QuestionMarks[]): ShownQuestion | undefined {
	for (const each of marks) {
		const found = read(lines, each);
		if (found) return found;
	}
	return undefined;
}

function read(lines: readonly string[], marks: QuestionMarks): ShownQuestion | undefined {
	const { state, top, frame, whole } = marks;
	// A dialog has more than one line.
	const from = lines.slice(0, -1).findLastIndex(line => top.test(line));
	if (from < 0) return undefined;
	const dialog = lines.slice(from).map(line => (frame ? line.replace(frame, '').trimEnd() : line));
	const { asks, tool, about = '', what = '', options = '' } = whole.exec(dialog.join('\n'))?.groups ?? {};
	const listed = optionsIn(options, marks.options);
	if (asks === undefined || !listed) return undefined;
	return { state, asks: inOneLine(asks), tool, about: inOneLine(about), what: unframed(what), options: listed };
}

/** A number, or the mark of the chosen option, begins one. What follows is a label that the screen has broken. */
const NUMBERED = /^ *(?<chosen>[❯›●] )? *(?<digit>\d)\. (?<label>.*)$/;
/** Options beside one another. */
const BETWEEN = / {3,}/;

interface ListedOption {
	label: string;
	readonly digit: string | undefined;
	readonly isChosen: boolean;
}

/** `undefined` if one is not known, or the numbers are not those of one list. */
function optionsIn(text: string, marks: readonly OptionMarks[]): ShownOption[] | undefined {
	const listed = listedIn(text);
	if (listed.some(({ digit }, at) => digit !== undefined && digit !== `${at + 1}`)) return undefined;
	const ways = listed.map(option => marks.filter(({ label }) => label.test(option.label)));
	// There, a digit is a word like any other.
	const takesWords = listed.some(({ isChosen }, at) => isChosen && ways[at]?.some(wordy));
	if (listed.length === 0 || ways.some(each => each.length === 0)) return undefined;
	return listed.flatMap(({ label, digit }, at) =>
		(ways[at] ?? []).map(({ means, key }) => {
			if (key === 'digit') return { label, means, keys: takesWords ? undefined : digit };
			return { label, means, keys: key === 'unknown' ? undefined : key };
		}),
	);
}

const wordy = ({ means }: OptionMarks) => means === 'no-with-words';

function listedIn(text: string): ListedOption[] {
	const found: ListedOption[] = [];
	for (const line of text.split('\n')) {
		const { chosen, digit, label } = NUMBERED.exec(line)?.groups ?? {};
		const last = found.at(-1);
		if (label !== undefined) found.push({ label, digit, isChosen: chosen !== undefined });
		else if (last?.digit !== undefined) last.label = inOneLine(`${last.label} ${line}`);
		else for (const each of line.trim().split(BETWEEN)) found.push({ label: each, digit, isChosen: false });
	}
	return found;
}

const EDGE = /^[╭╰]─*[╮╯]$/;
const SIDES = /^│ ?(.*?) *│$/;

/** Without the frame around it, and without blank lines at both ends. */
function unframed(text: string): string {
	const lines = text.split('\n').filter(line => !EDGE.test(line.trim()));
	const bare = lines.map(line => (SIDES.exec(line.trim())?.[1] ?? line).trimEnd());
	const margin = Math.min(...bare.filter(Boolean).map(line => line.search(/\S/)));
	return bare
		.map(line => line.slice(margin))
		.join('\n')
		.replace(/^\n+|\n+$/g, '');
}

const inOneLine = (text: string) => text.trim().replace(/\s+/g, ' ');
