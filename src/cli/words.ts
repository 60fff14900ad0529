import { visible } from '../base/visible.ts';
import { headerName, type Author } from '../protocol/author.ts';

/** Other people's text, for a terminal. */
export { visible as printable, visibleLine as printableLine } from '../base/visible.ts';

/** A path as one line, with nothing left out: its name may have line breaks. */
export function printablePath(path: string): string {
	return visible(path).replaceAll('\n', String.raw`\x0a`);
}

export function indented(text: string, by: string): string {
	return text
		.split('\n')
		.map(line => (line === '' ? '' : by + line))
		.join('\n');
}

/** The author of a message, as a list shows it. */
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
