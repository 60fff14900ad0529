import { REDACTED } from './namedSecrets.ts';

const KEY = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
/** A whole key, or one whose end is not there. */
const WHOLE = new RegExp(`-----BEGIN ${KEY}[\\s\\S]*?(?:-----END ${KEY}|$)`, 'g');
const BEGIN = new RegExp(`-----BEGIN ${KEY}`, 'g');
const END = new RegExp(`-----END ${KEY}`);

/** In UTF-16 units; a key of 16,384 bits has 13,000. After an opening without an end, no more is taken. */
const LONGEST = 16 * 1024;

/** PuTTY's own format: a number of lines of a key, and its checksum. */
const PUTTY = /^(Private-Lines: \d{1,4}\r?\n)(?:[A-Za-z0-9+/=]{1,100}\r?(?:\n|$)){1,200}/gm;

export function redactKeys(text: string): string {
	return text.replace(WHOLE, REDACTED).replace(PUTTY, `$1${REDACTED}\n`);
}

/** Removes private keys from a text that comes in pieces, as a program prints it. */
export class KeysInPieces {
	/** How much may still belong to a key that has begun. */
	private open = 0;

	redact(piece: string): string {
		const rest = this.open === 0 ? piece : this.goOn(piece);
		const last = [...rest.matchAll(BEGIN)].at(-1)?.index;
		if (last === undefined || END.test(rest.slice(last))) return redactKeys(rest);
		this.open = LONGEST;
		return `${redactKeys(rest.slice(0, last))}${REDACTED}\n`;
	}

	private goOn(piece: string): string {
		const end = END.exec(piece);
		const length = end ? end.index + end[0].length : piece.length;
		const taken = Math.min(length, this.open);
		this.open = end ? 0 : this.open - taken;
		return piece.slice(taken);
	}
}
