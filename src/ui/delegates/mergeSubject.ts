/** The longest subject of a commit by git's own custom, in characters. */
const LONGEST_SUBJECT = 72;

/**
 * The subject of a merge commit, as it is offered. A title may be the first line of a prompt. From a long title, the first sentence or the
 * first words are taken.
 * @param longest in characters
 */
export function mergeSubject(title: string, longest = LONGEST_SUBJECT): string {
	const line = title
		.trim()
		.replace(/\s+/g, ' ')
		.replace(/^(?:[#>*-]+ )+/, '');
	const [sentence = line] = /^.+?[.!?](?= |$)/.exec(line) ?? [];
	const chosen = line.length > longest && sentence.length <= longest ? sentence : line;
	return withoutEnd(chosen.length > longest ? wholeWords(chosen, longest) : chosen);
}

function wholeWords(line: string, longest: number): string {
	const cut = line.slice(0, longest + 1);
	return cut.includes(' ') ? cut.slice(0, cut.lastIndexOf(' ')) : line.slice(0, longest);
}

function withoutEnd(text: string): string {
	return text.replace(/[\s.,:;…–-]+$/, '');
}
