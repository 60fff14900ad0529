import { headerName, type Author } from '../protocol/author.ts';

/**
 * Text that others wrote, safe to show in a terminal: control characters, which could move the cursor or change the
 * title, become visible.
 */
export function printable(text: string): string {
	// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
	return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, character =>
		character === '\r' ? '' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
	);
}

export function printableLine(text: string, limit = 100): string {
	const line = printable(text).replace(/\s+/g, ' ').trim();
	return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

export function indented(text: string, by: string): string {
	return text
		.split('\n')
		.map(line => (line === '' ? '' : by + line))
		.join('\n');
}

/** Who wrote a message, as a list names it. */
export function authorText(author: Author): string {
	switch (author.is) {
		case 'human':
			return 'orchestrator';
		case 'unknown':
			return 'unknown author (found in the inbox)';
		case 'nancy':
			return 'Nancy';
		default:
			return headerName(author);
	}
}

/** How long ago a moment was, for a person: `4 s ago`. */
export function ago(at: string, nowMs: number = Date.now()): string {
	const seconds = Math.max(0, Math.round((nowMs - Date.parse(at)) / 1000));
	if (!Number.isFinite(seconds)) return 'at an unknown time';
	if (seconds < 60) return `${seconds} s ago`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
	if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
	return `${Math.floor(seconds / 86_400)} d ago`;
}

/** `1 message`, `2 messages`. */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
