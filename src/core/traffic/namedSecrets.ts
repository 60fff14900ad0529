/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/** A word, a flag or a variable is never longer. */
const START = '(?<![A-Za-z0-9_-])';
const QUOTE = String.raw`\\{0,7}["']`;
const GAP = String.raw`[ \t]{0,8}`;

const NAME =
	'[A-Za-z0-9_-]{0,64}?(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API[_-]?KEY|ACCESS[_-]?KEY(?:[_-]ID)?|SECRET[_-]?KEY|' +
	// `bypass` and `PWD`, the working folder, are no passwords.
	'PRIVATE[_-]?KEY|(?<![A-Za-z0-9])PASS|(?<=[A-Za-z0-9][_-])PWD)';

/** The rest of a command up to one of its flags, in the same line. */
const UP_TO = String.raw`\b[^\r\n|;&]{0,200}?[ \t]`;

/** What a secret comes right after. Every branch is bounded; group 1 is a quote that was opened before the secret. */
const LEAD = new RegExp(
	[
		// NAME=value, name: value, "name": "value", 'name' => 'value'
		`${START}${NAME}(?:${QUOTE})?${GAP}(?:=>|:=|[=:])${GAP}`,
		// --name value, "--name", "value"
		String.raw`${START}--?${NAME}(?:[ \t]{1,8}|${QUOTE},${GAP})(?![-|&;<>=])`,
		`${START}sshpass${UP_TO}?-p${GAP}`,
		`${START}(?:mysql|mariadb)[a-z]{0,10}${UP_TO}-p(?=[^ \\t])`,
		// -u name:value; two numbers are a user and a group
		`${START}(?:curl${UP_TO}-u${GAP}|-u[ \\t]{1,8}|--(?:proxy-)?user[ \\t=]{1,8})(${QUOTE})?(?!\\d+:\\d+(?!\\S))` +
			String.raw`[^\s:"'\\/]{1,100}:(?!//)`,
	].join('|'),
	'gi',
);

const OPENING = new RegExp(QUOTE, 'y');
const BARE = /(?!\[redacted\]|\$\(|(?:true|false|null|undefined)\b)(?:\\[^\s"'\\]|[^\s"'\\&;,{}<>|]){3,}/y;
/** How a shell goes on after a quote in quotes: `'it'\''s'`, `'it'"'"'s'`. */
const GOING_ON = /(?:\\'|"'")'/y;

/** Within a quote that is not closed so soon, the rest of the line is taken. */
const LONGEST_QUOTED = 8192;

/** Takes out of a text what a name before it calls a secret; what is in quotes goes up to the closing one. */
export function redactNamed(text: string): string {
	let result = '';
	let kept = 0;
	LEAD.lastIndex = 0;
	for (let lead = LEAD.exec(text); lead; lead = LEAD.exec(text)) {
		const from = LEAD.lastIndex;
		const opening = lead[1] ?? matchAt(OPENING, text, from);
		const start = lead[1] === undefined && opening ? from + opening.length : from;
		const end = opening ? endOfQuoted(text, start, opening) : start + (matchAt(BARE, text, start)?.length ?? 0);
		if (end === start) continue;
		result += text.slice(kept, start) + REDACTED;
		kept = end;
		LEAD.lastIndex = end;
	}
	return result + text.slice(kept);
}

/** Where the text in quotes ends. In a string within a string, a quote has backslashes: as many as at its opening. */
function endOfQuoted(text: string, start: number, opening: string): number {
	const depth = opening.length - 1;
	const quote = opening.charAt(depth);
	const last = Math.min(text.length, start + LONGEST_QUOTED);
	let backslashes = 0;
	for (let at = start; at < last; at++) {
		const character = text.charAt(at);
		if (character === '\\') {
			backslashes++;
			continue;
		}
		if (character === quote && backslashes % (2 * (depth + 1)) === depth) {
			const more = depth === 0 && quote === "'" ? matchAt(GOING_ON, text, at + 1) : undefined;
			if (more === undefined) return at - depth;
			at += more.length;
		}
		backslashes = 0;
	}
	if (last === text.length) return last;
	const line = text.slice(start, last).search(/[\r\n]/);
	return line === -1 ? last : start + line;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0];
}
