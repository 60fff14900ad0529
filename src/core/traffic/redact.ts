import { commandSigns, REDACTED, redactNamed } from './namedSecrets.ts';
import { redactSealed } from './kubernetes.ts';
import { redactKeys } from './privateKeys.ts';
import { formSigns, placeSigns, replacer, startAfter, type Sign } from './secretForms.ts';

/** Deeper values are cut: recursion must end before the stack does. */
const DEEPEST = 200;

/**
 * Removes secrets from a JSON value before it is stored. The shape stays: the same keys but for sentences, the same lengths, and strings stay
 * strings.
 * Numbers and booleans are never touched (`max_tokens` is not a secret). Never throws.
 */
export function redact(value: unknown): unknown {
	return redactAt(value, false, 0);
}

/** Removes secrets from a text. Each expression starts at a word boundary and is bounded, so that no text is slow. */
export function redactText(text: string): string {
	let result = redactSigns(redactSealed(redactKeys(text)));
	for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
	return redactForty(redactNamed(result));
}

/** The same of a text that has a name: that of a secret has it taken out whole. A number, or a word of JSON's, is none. */
export function redactValue(name: string, text: string): string {
	const isPlain = /^(?:|-?[0-9.]{1,20}|true|false|null)$/.test(text);
	return isSecretName(name) && !isPlain ? REDACTED : redactText(text);
}

function redactAt(value: unknown, isSecret: boolean, depth: number): unknown {
	if (typeof value === 'string') return isSecret && value !== '' ? REDACTED : redactText(value);
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= DEEPEST) return Array.isArray(value) ? [] : {};
	if (Array.isArray(value))
		return value.map((item, at) => redactAt(item, isSecret || isSecretFlag(value[at - 1]), depth + 1));
	// The values of a Kubernetes Secret are secret, whatever they are called.
	const isSealed = 'kind' in value && value.kind === 'Secret';
	const isHere = (key: string, item: unknown) =>
		isSecretName(key) ||
		(isSealed && (key === 'data' || key === 'stringData')) ||
		(key === 'auths' && typeof item === 'object' && !Array.isArray(item)) ||
		(key === 'auth' && typeof item === 'string' && isLogin(item));
	return Object.fromEntries(
		Object.entries(value).map(([key, item]) => [
			keyOf(key),
			redactAt(item, isSecret || isHere(key, item), depth + 1),
		]),
	);
}

/** Claude Code keeps an answer below the words of its question. */
function keyOf(key: string): string {
	return /\s/.test(key) ? redactText(key) : key;
}

const SECRET_NAME =
	/(?:^|[_-])(?:token|secret|password|passwd|passphrase|pass|(?:api|access|secret|private|signing|encryption|master|auth|subscription|account)[_-]?key|key[_-]data|authorization|credentials?|cookie)s?$/;

function isSecretName(key: string): boolean {
	if (key.length > 100) return false;
	return SECRET_NAME.test(key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase());
}

/** `--password`, in a list of arguments: the next one is the secret. */
function isSecretFlag(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('-') && isSecretName(value.replace(/^--?/, ''));
}

const LOGIN = /\\{0,7}["'][ \t]{0,8}:[ \t]{0,8}\\{0,7}["'](?!\[redacted\])([^"'\\\r\n]{3,8000})(?=\\{0,7}["'])/y;
const AUTHS = /\bauths\\{0,7}["'][ \t]{0,8}:/;
/** How far `auths` may be before one of its logins, in UTF-16 units. */
const LONGEST_AUTHS = 2000;

/** `user:password` in base64, as Docker keeps it. Below `auths`, any text is a secret. */
const loginSign: Sign = {
	begins: ['auth'],
	find: (text, begin, end) => {
		LOGIN.lastIndex = end;
		const value = LOGIN.exec(text)?.[1];
		if (value === undefined) return undefined;
		const to = LOGIN.lastIndex;
		const isSecret = isLogin(value) || AUTHS.test(text.slice(Math.max(0, begin - LONGEST_AUTHS), begin));
		return isSecret ? [to - value.length, to] : undefined;
	},
};

function isLogin(value: string): boolean {
	return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

const redactSigns = replacer([...formSigns, ...placeSigns, ...commandSigns, loginSign], REDACTED);

const START = startAfter('A-Za-z0-9_~.-');

/** The text right before a secret is kept, as are the quotes around it. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
	// Telegram: the key behind the bot's number. Discord: the bot's number in base64, a time, a signature. Terraform.
	[/(?<=(?<![0-9])[0-9]{8,10}:)AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g, REDACTED],
	[new RegExp(`${START}[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}`, 'g'), REDACTED],
	[/(?<=[A-Za-z0-9]{14})\.atlasv1\.[A-Za-z0-9_-]{40,}/g, REDACTED],
	// Azure's clients. Looked for by the middle, which is rare.
	[new RegExp(`(?=...[0-9]Q)${START}[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}`, 'g'), REDACTED],
	[/\b(Bearer|Basic)([ \t]{1,8})(?!\[redacted\])[A-Za-z0-9._~+/-]{8,}={0,2}/gi, `$1$2${REDACTED}`],
	[
		/(\bAuthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:[A-Za-z][A-Za-z0-9-]{1,30}[ \t]{1,8})?)(?!(?:[A-Za-z][A-Za-z0-9-]{1,30}[ \t]{1,8})?\[redacted\])(?:[^\s"'\\]{8,}|(?<=(?:Token|Bearer|Basic|ApiKey)[ \t]{1,8})[^\s"'\\]{3,})/gi,
		`$1${REDACTED}`,
	],
	// All cookies: only the server knows which one is the session.
	[
		/(\b(?:Set-)?Cookie\\{0,7}["']?[ \t]{0,8}[:=][ \t]{0,8}\[?\\{0,7}["']?)(?!\[redacted\])[^\s"'\\=;,(){}]{1,100}=[^\r\n"'\\]{4,}/gi,
		`$1${REDACTED}`,
	],
	[
		/(\bcurl\b[^\r\n|;&]{0,200}?[ \t](?:-b|--cookie)[ \t=]{0,8}["']?)(?!\[redacted\])[^\s"'\\=;]{1,100}=[^\s"'\\]{4,}/g,
		`$1${REDACTED}`,
	],
	// Up to the last @ before the path: an earlier one belongs to the password. There may be no user before it.
	[/(:\/\/[^\s/:@"'\\]{0,100}:)(?!\[redacted\]@)[^\s/"']{1,200}@/g, `$1${REDACTED}@`],
	[/(:\/\/)(?=[^\s/:@"'\\]{0,100}[0-9])[^\s/:@"'\\]{20,200}(?=@|:x-oauth-basic@|:\[redacted\]@)/g, `$1${REDACTED}`],
	[
		/([?&;](?:key|auth|code|sig|signature|jwt|sid|session|pwd|x-(?:amz|goog)-(?:signature|credential|security-token)|subscription-key)=)(?!\[redacted\])[^&\s"'<>#\\]{8,}/gi,
		`$1${REDACTED}`,
	],
	[
		/(<([A-Za-z][\w.:-]{0,40})(?<=password|passwd|passphrase|secret|token|key)>)(?!\[redacted\])[^<>\r\n]{3,200}(?=<\/\2>)/gi,
		`$1${REDACTED}`,
	],
	[
		/(:(?:[0-9]{4,5}|\*):(?<=^(?:[\w.-]{1,200}|\*):[0-9*]{1,5}:)[\w*.-]{1,100}:[\w*.-]{1,100}:)(?!\[redacted\])\S{3,}$/gm,
		`$1${REDACTED}`,
	],
	// The same within a line, where a compiler's places look alike: there a column is a number.
	[
		/(:(?:[0-9]{4,5}|\*):(?<=(?:[\s"'`=]|\\n)(?:[\w.-]{1,200}|\*):[0-9*]{1,5}:)(?=[A-Za-z_*])[\w*.-]{1,100}:[\w*.-]{1,100}:)(?!\[redacted\])[^\s"'`\\]{3,}/g,
		`$1${REDACTED}`,
	],
	// Hashes of passwords, as crypt(3) and htpasswd write them: a method, options, a salt, the hash.
	[
		/(\$(?:apr1|[156y]|gy|2[abxy]|argon2(?:id|i|d))\\{0,3}\$)(?:[\w=,./]{1,100}\\{0,3}\$){1,3}[A-Za-z0-9./+]{22,100}/g,
		`$1${REDACTED}`,
	],
];

/** The secret half of an AWS key has no mark: forty characters that are neither a hash nor words. */
const FORTY = 40;
const IN_FORTY = /[A-Za-z0-9/+]/;
const isInForty = Uint8Array.from({ length: 128 }, (_, code) => Number(IN_FORTY.test(String.fromCharCode(code))));
/** Not part of a longer word, path or number; what ends an escape or a colour may stand before it. */
const ALONE = /(?<![_.-])(?:(?<=\\)[nrt]|(?<=[[;])[0-9]{0,3}m|)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])/y;

/** Looks at each fortieth character first: most texts have no run of so many. */
function redactForty(text: string): string {
	let result = '';
	let kept = 0;
	const isIn = (at: number) => isInForty[text.charCodeAt(at)] === 1;
	for (let at = 0; at + FORTY <= text.length;) {
		let from = at + FORTY;
		while (from > at && isIn(from - 1)) from--;
		if (from > at) {
			at = from;
			continue;
		}
		ALONE.lastIndex = at;
		const found = ALONE.exec(text)?.[1];
		let end = at + FORTY;
		while (end < text.length && isIn(end)) end++;
		if (found !== undefined && isRandom(found)) {
			result += text.slice(kept, ALONE.lastIndex - FORTY) + REDACTED;
			kept = ALONE.lastIndex;
		}
		at = end;
	}
	return result + text.slice(kept);
}

function isRandom(text: string): boolean {
	const count = (kind: RegExp) => text.match(kind)?.length ?? 0;
	return count(/[A-Z]/g) >= 4 && count(/[a-z]/g) >= 4 && count(/[0-9]/g) >= 3 && !/[a-z]{7}|[A-Z]{7}/.test(text);
}
