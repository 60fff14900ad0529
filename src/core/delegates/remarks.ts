/** Before a person's remarks on a delegate's changes. Words for the agent, so not translated. */
const REVIEWED = 'A person has reviewed the changes and comments on them.';

/** The text of an earlier round before the first prompt. */
const FIRST_ASKED = /^A person has reviewed the changes[^]*?\n\nThis is what was asked for at first:\n\n/;

/** A comment on a line of a changed file. */
export interface Remark {
	/** Relative, with `/`. */
	readonly file: string;
	readonly line: number;
	readonly text: string;
}

/** `src/x.ts:12`, and the comment below it; in the order of the files and lines. */
export function remarksText(remarks: readonly Remark[]): string {
	return remarks
		.toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
		.map(({ file, line, text }) => `${file}:${line}\n${text}`)
		.join('\n\n');
}

/** A message with remarks for a delegate that is still at work. */
export function remarksMessage(remarks: string): string {
	return `${REVIEWED}\n\n${remarks}`;
}

/**
 * The prompt of a delegate that goes on in the worktree of an earlier one. The first prompt comes last, because it may be long.
 * @param base the commit that the worktree began with
 */
export function promptWithRemarks(prompt: string, remarks: string, base: string): string {
	return (
		`${REVIEWED} The changes are in this folder; git diff ${base.slice(0, 12)} shows them. Change what the comments ask for.\n\n` +
		`${remarks}\n\nThis is what was asked for at first:\n\n${prompt.replace(FIRST_ASKED, '')}`
	);
}
