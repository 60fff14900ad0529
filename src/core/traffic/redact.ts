import { REDACTED, redactNamed } from './namedSecrets.ts';
import { redactKeys } from './privateKeys.ts';

/** Deeper values are cut: recursion must end before the stack does. */
const DEEPEST = 200;

/**
 * Takes secrets out of a JSON value before it is stored. The shape stays: the same keys, the same lengths, strings stay
 * strings; numbers and booleans are never touched (`max_tokens` is not a secret). Never throws.
 */
export function redact(value: unknown): unknown {
	return redactAt(value, false, 0);
}

/** Takes secrets out of a text. Each expression starts at a word boundary and is bounded, so that no text is slow. */
export function redactText(text: string): string {
	let result = redactKeys(text);
	for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
	return redactNamed(result);
}

function redactAt(value: unknown, isSecret: boolean, depth: number): unknown {
	if (typeof value === 'string') return isSecret && value !== '' ? REDACTED : redactText(value);
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= DEEPEST) return Array.isArray(value) ? [] : {};
	if (Array.isArray(value))
		return value.map((item, at) => redactAt(item, isSecret || isSecretFlag(value[at - 1]), depth + 1));
	return Object.fromEntries(
		Object.entries(value).map(([key, item]) => [key, redactAt(item, isSecret || isSecretName(key), depth + 1)]),
	);
}

const SECRET_NAME =
	/(?:^|[_-])(?:token|secret|password|passwd|passphrase|pass|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|authorization|credentials?|cookie)s?$/;

function isSecretName(key: string): boolean {
	if (key.length > 100) return false;
	return SECRET_NAME.test(key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase());
}

/** `--password`, in a list of arguments: the next one is the secret. */
function isSecretFlag(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('-') && isSecretName(value.replace(/^--?/, ''));
}

const START = '(?<![A-Za-z0-9_-])';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
	[new RegExp(`${START}(?:sk|rk|pk)[-_](?:live[-_]|test[-_])?[A-Za-z0-9_-]{16,}`, 'g'), REDACTED],
	[
		new RegExp(
			`${START}(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|do[opr]_v1_[a-f0-9]{32,})`,
			'g',
		),
		REDACTED,
	],
	[new RegExp(`${START}(?:AKIA|ASIA)[0-9A-Z]{16}`, 'g'), REDACTED],
	[
		new RegExp(
			`${START}(?:(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,}|ya29\\.[A-Za-z0-9_-]{20,})`,
			'g',
		),
		REDACTED,
	],
	[new RegExp(`${START}SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}`, 'g'), REDACTED],
	[/(\b(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{16,}={0,2}/gi, `$1${REDACTED}`],
	// A slash may be escaped in JSON.
	[/(\bhooks\.slack\.com(?:\\?\/[a-z]{1,20}){1,2}\\?\/)(?:[A-Za-z0-9_-]|\\?\/){8,}/g, `$1${REDACTED}`],
	[new RegExp(`${START}eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{4,}(?:\\.[A-Za-z0-9_-]*)?`, 'g'), REDACTED],
	[/\b(Bearer|Basic)([ \t]{1,8})(?!\[redacted\])[A-Za-z0-9._~+/-]{8,}={0,2}/gi, `$1$2${REDACTED}`],
	[
		/(\bAuthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?)(?!(?:Bearer|Basic)[ \t]|\[redacted\])[^\s"'\\]{8,}/gi,
		`$1${REDACTED}`,
	],
	// Up to the last @ before the path: an earlier one belongs to the password. There may be no user before it.
	[/(:\/\/[^\s/:@"']{0,100}:)[^\s/"']{1,200}@/g, `$1${REDACTED}@`],
];
