/** Of a commit, by git's own custom. In characters. */
const LONGEST_SUBJECT = 72;

/** The subject of a merge commit, as it is offered. A title may be the first line of a prompt: of a long one, its first sentence or words. */
export function mergeSubject(title: string): string {
	const line = title
		.trim()
		.replace(/\s+/g, ' ')
		.replace(/^(?:[#>*-]+ )+/, '');
	const [sentence = line] = /^.+?[.!?](?= |$)/.exec(line) ?? [];
	const chosen = line.length > LONGEST_SUBJECT && sentence.length <= LONGEST_SUBJECT ? sentence : line;
	return withoutEnd(chosen.length > LONGEST_SUBJECT ? wholeWords(chosen) : chosen);
}

function wholeWords(line: string): string {
	const cut = line.slice(0, LONGEST_SUBJECT + 1);
	return cut.includes(' ') ? cut.slice(0, cut.lastIndexOf(' ')) : line.slice(0, LONGEST_SUBJECT);
}

function withoutEnd(text: string): string {
	return text.replace(/[\s.,:;…–-]+$/, '');
}
