/** One command of a shell's line, with its words as the program gets them. */
export interface ShellCommand {
	readonly words: readonly string[];
	/** What it reads from and writes to by `<` and `>`. */
	readonly files: readonly string[];
	/** It reads what the command before it prints. */
	readonly isPiped: boolean;
	/** What stands after it, as `&&`. */
	readonly end: string;
}

/** What stands between words, what ends a command, what comes before the name of a file, and the pieces of a word. */
const PART = new RegExp(
	[
		String.raw`(?<gap>[ \t]+)`,
		String.raw`(?<joined>\\\n)`,
		String.raw`(?<end>\n|;|&&|\|\||\|&?|&(?!>))`,
		String.raw`(?<file>&?>>?[|&]?|<(?!<)&?)`,
		String.raw`'(?<single>[^']*)'`,
		String.raw`"(?<double>(?:[^"\\$\x60]|\\[^])*)"`,
		String.raw`\\(?<escaped>[^\r\n])`,
		String.raw`(?<plain>[^\s'"\\$\x60(){}<>|&;]+)`,
	].join('|'),
	'y',
);

/**
 * The commands of a line for a POSIX shell, in order. `undefined` for everything that no program can read without running it: variables,
 * substitutions, functions, groups, here-documents, and what is no such line at all.
 */
export function commandsIn(text: string): ShellCommand[] | undefined {
	const commands: ShellCommand[] = [];
	let words: string[] = [];
	let files: string[] = [];
	let word: string | undefined;
	let isFile = false;
	let isPiped = false;
	const endWord = () => {
		if (word === undefined) return;
		(isFile ? files : words).push(word);
		word = undefined;
		isFile = false;
	};
	const endCommand = (end: string) => {
		endWord();
		if (words.length > 0 || files.length > 0) commands.push({ words, files, isPiped, end });
		[words, files, isFile, isPiped] = [[], [], false, end === '|' || end === '|&'];
	};
	const part = new RegExp(PART);
	while (part.lastIndex < text.length) {
		if (word === undefined && text[part.lastIndex] === '#') {
			part.lastIndex = `${text}\n`.indexOf('\n', part.lastIndex);
			continue;
		}
		const { gap, joined, end, file, single, double, escaped, plain } = part.exec(text)?.groups ?? {};
		if (gap !== undefined) endWord();
		else if (end !== undefined) endCommand(end);
		else if (file !== undefined) {
			// The number of a stream stands right before it.
			if (/^\d+$/.test(word ?? '')) word = undefined;
			endWord();
			isFile = true;
		} else if (joined === undefined) {
			const piece = single ?? double?.replace(/\\([$"\\\n\x60])/g, unescaped) ?? escaped ?? plain;
			if (piece === undefined) return undefined;
			word = (word ?? '') + piece;
		}
	}
	endCommand('');
	return commands;
}

function unescaped(_: string, sign: string): string {
	return sign === '\n' ? '' : sign;
}
