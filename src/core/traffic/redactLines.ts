import { REDACTED } from './namedSecrets.ts';
import { KeysInPieces } from './privateKeys.ts';
import { redactText } from './redact.ts';

/**
 * The lines of a text without its secrets. Each line stays at its place. Where a secret reaches over several lines, none of these lines is
 * shown.
 */
export function redactLines(text: string): string[] {
	const keys = new KeysInPieces();
	const lines = text.split('\n').map(line => {
		const rest = keys.redact(`${line}\n`);
		return rest === '' ? REDACTED : rest.replace(/\n$/, '');
	});
	const redacted = redactText(lines.join('\n')).split('\n');
	return redacted.length === lines.length ? redacted : hidden(lines, redacted);
}

/** Only what is equal at the beginning and at the end can be told apart from a secret. */
function hidden(lines: readonly string[], redacted: readonly string[]): string[] {
	const most = Math.min(lines.length, redacted.length);
	let first = 0;
	while (first < most && lines[first] === redacted[first]) first++;
	let last = 0;
	while (last < most - first && lines.at(-1 - last) === redacted.at(-1 - last)) last++;
	return lines.map((line, at) => (at < first || at >= lines.length - last ? line : REDACTED));
}
