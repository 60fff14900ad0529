import type { Sign } from './secretForms.ts';

/** The replacement for a secret. */
export const REDACTED = '[redacted]';

const QUOTE = String.raw`\\{0,7}["']`;
const GAP = String.raw`[ \t]{0,8}`;

/** The end of a name that has a secret. The part before it says whose. */
const NAME = [
	'TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE',
	'(?:API|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION|MASTER|AUTH|SERVICE|SHARED|STORAGE|ACCOUNT|SUBSCRIPTION)[_-]?KEY(?:[_-]ID)?',
	'KEY[_-]DATA',
	// `bypass` and `PWD`, the working folder, are no passwords.
	'(?<![A-Za-z0-9])PASS|(?<=[A-Za-z0-9][_-])PWD',
].join('|');
/** Suffixes of such a name: `SECRET_KEY_BASE`, `DB_PASSWORD_PROD`, `TOKEN2`. */
const MORE = '(?:[_-]?(?:BASE(?:64)?|B64|VALUE|STRING|PROD|DEV|TEST|STAGING|[0-9]{1,3}))?(?![A-Za-z0-9_-])';

/** The text right before a secret. Every branch is bounded; group 1 is a quote that was opened before the secret. */
const NAMED = new RegExp(
	`(?:${NAME})${MORE}(?:` +
		[
			// NAME=value, name: value, "name": "value", 'name' => 'value'
			`(?:${QUOTE})?${GAP}(?:=>|:=|[=:])${GAP}`,
			// --name value, "--name", "value"
			String.raw`(?<=(?<![A-Za-z0-9_-])--?[A-Za-z0-9_-]{1,80})(?:[ \t]{1,8}|${QUOTE},${GAP})(?![-|&;<>=])`,
			// name: NAME, and below it value: …; "name": "NAME", "value": "…"; key="NAME" value="…"
			String.raw`(?:${QUOTE})?(?:[ \t]{0,8},?\s{1,40}|,)(?:${QUOTE})?value(?:${QUOTE})?${GAP}[:=]${GAP}`,
			// PASSWORD 'value' in SQL, ENV NAME value, set name value
			String.raw`[ \t]{1,8}(?=')`,
			String.raw`(?<=\b(?:ENV|set)[ \t]{1,8}[A-Za-z0-9_-]{1,80})[ \t]{1,8}(?![-|&;<>=])`,
		].join('|') +
		String.raw`)|\bIDENTIFIED[ \t]{1,8}BY[ \t]{1,8}(?=['"])`,
	'gi',
);

/** The rest of a command up to one of its flags, in the same line. */
const UP_TO = String.raw`[^\r\n|;&]{0,200}?[ \t]`;
const SPACE = String.raw`[ \t]{1,8}`;
/** Commands, and the text in their arguments right before a secret. */
const COMMANDS: readonly (readonly [names: readonly string[], before: string])[] = [
	[['sshpass'], `${UP_TO}?-p${GAP}`],
	[['mysql', 'mariadb'], `[a-z]{0,10}${UP_TO}-p(?=[^ \\t])`],
	[['docker', 'podman', 'nerdctl', 'buildah', 'oras', 'helm registry'], `${SPACE}login${UP_TO}-p[ \\t=]{0,8}`],
	[['redis-cli'], `${UP_TO}-a${SPACE}`],
	[['mongosh', 'mongodump', 'mongorestore', 'mongo'], `${UP_TO}-p${SPACE}`],
	[['sqlcmd', 'unzip', 'zip'], `${UP_TO}-P${SPACE}(?![-/])`],
	[['ldapsearch', 'ldapadd', 'ldapmodify', 'ldapdelete', 'ldapwhoami'], `${UP_TO}-w${SPACE}`],
	[['smbclient'], `${UP_TO}-U${SPACE}[^\\s%]{1,100}%`],
	[['openssl'], `${SPACE}enc${UP_TO}-k${SPACE}`],
	[['htpasswd'], `${SPACE}-[a-zA-Z]{0,5}b[a-zA-Z]{0,5}${SPACE}\\S{1,200}${SPACE}\\S{1,100}${SPACE}`],
];
/** -u name:value; two numbers are a user and a group. */
const USER = String.raw`(${QUOTE})?(?!\d+:\d+(?!\S))[^\s:"'\\/]{1,100}:(?!//)`;
export const commandSigns: readonly Sign[] = [
	...COMMANDS,
	[['curl'], `${UP_TO}-u${GAP}${USER}`] as const,
	[['-u'], `${SPACE}${USER}`] as const,
	[['--user', '--proxy-user'], `[ \\t=]{1,8}${USER}`] as const,
].map(([begins, before]) => {
	const lead = new RegExp(before, 'y');
	return {
		begins,
		find: (text, _begin, end) => {
			lead.lastIndex = end;
			const found = lead.exec(text);
			return found ? valueAfter(text, lead.lastIndex, found[1]) : undefined;
		},
	};
});

/** A name at the beginning of its line, as in YAML and in settings: without quotes the value is the rest of the line. */
const WHOLE_LINE =
	/((?:password|passwd|passphrase)(?:[ \t]{0,8}:[ \t]{1,8}|[ \t]{1,8}=[ \t]{1,8})(?<=^[\w \t.-]{1,180}[:=][ \t]{1,8}))(?![\s"'|>\\]|\[redacted\])([^\r\n#]{3,500})/gim;

const OPENING = new RegExp(QUOTE, 'y');
/** The text that code has there: types, calls, other variables; versions of packages. No secret. */
const CODE = [
	'(?:true|false|null|undefined|none|nil|string|number|boolean|unknown|any|never|void|object|function|async|await|new|this|self|return|typeof|readonly)\\b',
	String.raw`\$[({]|\(|\{|process\.env|os\.environ|import\.meta`,
	// f(…), a[…], a.b.C and, at the end of a statement, a
	String.raw`[A-Za-z_$]+(?:\.[A-Za-z_$]+)*(?:\([^()\r\n]{0,80}\)|\[[^\]\r\n]{0,80}\])`,
	String.raw`[a-z_$]+\.[A-Z][A-Za-z]*(?![\w.-])`,
	String.raw`[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+(?:\?|\|\||&&)`,
	String.raw`(?<= )[A-Za-z_$]+(?:\.[A-Za-z_$]+)*;`,
].join('|');
/** The version of a package with such a name; a name that stands for itself. */
const HARMLESS =
	/^(?:[\^~<>=v]{0,3}\d+(?:\.(?:\d+|x|\*)){1,3}[\w.+-]{0,30}|(?:[A-Za-z]{1,20}[_. -]){1,3}(?:token|key)s?|[A-Za-z][a-z]{1,20}(?:Token|Key)s?)$/;
const BARE = new RegExp(String.raw`(?!\[redacted\]|${CODE})(?:\\[^\s"'\\]|\\ |[^\s"'\\&;,{}<>|]){3,}`, 'y');
/** How a shell goes on after a quote in quotes: `'it'\''s'`, `'it'"'"'s'`. */
const GOING_ON = /(?:\\'|"'")'/y;

/** If a quote is not closed within this length, the rest of the line is taken. */
const LONGEST_QUOTED = 8192;

/** Removes from a text the values whose names mark them as secrets. A value in quotes ends at the closing quote. */
export function redactNamed(whole: string): string {
	const text = withoutLines(whole);
	let result = '';
	let kept = 0;
	NAMED.lastIndex = 0;
	while (NAMED.test(text)) {
		const value = valueAfter(text, NAMED.lastIndex, undefined);
		if (!value) continue;
		result += text.slice(kept, value[0]) + REDACTED;
		kept = value[1];
		NAMED.lastIndex = kept;
	}
	return result + text.slice(kept);
}

/** @param quote one that was opened before `from` */
function valueAfter(text: string, from: number, quote: string | undefined): readonly [number, number] | undefined {
	const opening = quote ?? matchAt(OPENING, text, from);
	const start = quote === undefined && opening ? from + opening.length : from;
	const end = opening ? endOfQuoted(text, start, opening) : start + (matchAt(BARE, text, start)?.length ?? 0);
	const isSecret = end > start && !HARMLESS.test(text.slice(start, Math.min(end, start + 80)));
	return isSecret && !text.startsWith(REDACTED, start) ? [start, end] : undefined;
}

function withoutLines(text: string): string {
	return text.replace(WHOLE_LINE, (line, lead: string, value: string) =>
		isCode.test(value) || !value.trim().includes(' ') ? line : lead + REDACTED,
	);
}
const isCode = new RegExp(`^(?:${CODE})|[;({]\\s*$`);

/** The end of a text in quotes. In a string within a string, a quote has as many backslashes as at its opening. */
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
