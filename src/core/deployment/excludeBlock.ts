/**
 * Nancy's lines in a repository's `info/exclude`, which all worktrees of the repository share. Each workspace folder has a block of its
 * own. A block also says what was added for it, so that its removal restores the same bytes. The text is that of the file's bytes, one
 * character each (`latin1`), because it need not be UTF-8; `undefined` if there is no file.
 */

/** The addition for a block: nothing, the end of the line before it, or the file. */
type Came = '' | ', with the end of the line above' | ', with this file';

interface Block {
	start: number;
	end: number;
	came: Came;
	folder: string;
	lines: string[];
}

const BEGIN = '# Files of Nancy in ';
const BEGIN_LINE = /^# Files of Nancy in ("(?:[^"\\]|\\.)*")(|, with the end of the line above|, with this file)$/;
const END = '\n# End of Nancy\n';

/** The lines that a workspace folder has. */
export function excludedFor(text: string | undefined, folder: string): readonly string[] {
	return (
		blocksIn(text ?? '')
			.find(block => block.folder === folder)
			?.lines.filter(isPattern) ?? []
	);
}

/** The workspace folders that have lines. */
export function foldersIn(text: string | undefined): readonly string[] {
	return blocksIn(text ?? '').map(({ folder }) => folder);
}

/** The text in which a workspace folder has these lines; `undefined` if the file goes with them. */
export function withExcluded(text: string | undefined, folder: string, lines: readonly string[]): string | undefined {
	const present = text ?? '';
	const block = blocksIn(present).find(each => each.folder === folder);
	if (block) {
		if (lines.length === 0) return without(present, block);
		const others = block.lines.filter(line => !isPattern(line));
		return (
			present.slice(0, block.start) +
			written({ ...block, lines: [...others, ...lines] }) +
			present.slice(block.end)
		);
	}
	if (lines.length === 0) return text;
	const isCut = present !== '' && !present.endsWith('\n');
	const came = text === undefined ? ', with this file' : isCut ? ', with the end of the line above' : '';
	return `${present}${isCut ? '\n' : ''}${written({ folder, came, lines })}`;
}

/** A pattern for one file, from the top of the checkout; `undefined` if none can be written. */
export function patternFor(prefix: string, file: string): string | undefined {
	const path = `/${prefix}${file}`;
	if (/[\n\r\0]/.test(path)) return undefined;
	return latin1(path.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ '));
}

function without(text: string, block: Block): string | undefined {
	const before = text.slice(0, block.start);
	// A person's own lines in the block stay.
	const kept = block.lines.filter(line => !isPattern(line)).map(line => `${line}\n`);
	const after = kept.join('') + text.slice(block.end);
	if (block.came === '') return before + after;
	const next = blocksIn(after)[0];
	// The addition for this block now belongs to the next one.
	if (next?.start === 0 && next.came === '')
		return before + written({ ...next, came: block.came }) + after.slice(next.end);
	if (after !== '') return before + after;
	if (block.came === ', with this file') return before === '' ? undefined : before;
	return before.replace(/\n$/, '');
}

function written({ folder, came, lines }: { folder: string; came: Came; lines: readonly string[] }): string {
	return [`# Files of Nancy in ${latin1(JSON.stringify(folder))}${came}`, ...lines, '# End of Nancy', ''].join('\n');
}

/** Line by line: an expression over the whole text would look for the end of each beginning that has none. */
function blocksIn(text: string): Block[] {
	const blocks: Block[] = [];
	for (let start = 0; start < text.length;) {
		const endOfLine = text.indexOf('\n', start);
		if (endOfLine === -1) break;
		const match = text.startsWith(BEGIN, start) ? BEGIN_LINE.exec(text.slice(start, endOfLine)) : null;
		const [, quoted = '""', came = ''] = match ?? [];
		const close = match ? text.indexOf(END, endOfLine) : -1;
		// Without an end, neither this one nor any later beginning is a block.
		if (match && close === -1) break;
		if (!match) {
			start = endOfLine + 1;
			continue;
		}
		blocks.push({
			start,
			end: close + END.length,
			came: came === ', with this file' || came === ', with the end of the line above' ? came : '',
			folder: unquoted(quoted),
			lines: text
				.slice(endOfLine + 1, close + 1)
				.split('\n')
				.slice(0, -1),
		});
		start = close + END.length;
	}
	return blocks;
}

function isPattern(line: string): boolean {
	return line.startsWith('/');
}

function latin1(text: string): string {
	return Buffer.from(text, 'utf8').toString('latin1');
}

/** Whatever its content, it is the block of another folder. */
function unquoted(quoted: string): string {
	try {
		const folder: unknown = JSON.parse(Buffer.from(quoted, 'latin1').toString('utf8'));
		return typeof folder === 'string' ? folder : '';
	} catch {
		return '';
	}
}
