import { visible } from '../../base/visible.ts';

/** In UTF-16 units: a label, a name, a button. */
const LINE = 300;
/** A notification, a question with its details, a hover. VS Code itself cuts a notification at 1000. */
const TEXT = 10_000;

/**
 * Texts that VS Code does not show as text, in messages, input boxes, quick picks, status bar and terminal names. `[x](command:…)`
 * becomes a link that runs a command, and `$(x)` a picture (`parseLinkedText` and `renderLabelWithIcons` in its source).
 */
const MEANT = /[\]$](?=\()/g;

/** A text for one of VS Code's own surfaces, shown as it is: no link, no picture, nothing invisible. */
export function plain(text: string, limit = TEXT): string {
	const shown = visible(text.slice(0, limit + 1)).replace(MEANT, '$& ');
	return shown.length <= limit ? shown : `${shown.slice(0, limit - 1)}…`;
}

/** The same as one line. */
export function plainLine(text: string, limit = LINE): string {
	return plain(text.slice(0, 4 * limit).replace(/[ \t\r\n]+/g, ' '), limit);
}
