import type { ScreenProfile } from '../../core/driver/screen.ts';

/**
 * Seen with 0.24.4. While it works, in shell mode and with a hint of a key, the last line has other words. A question takes the place of
 * all these lines. Model text and output of tools never begin in the first column.
 */
export const screen: ScreenProfile = {
	buffer: 'alternate',
	fills: false,
	above: ['\u2500'],
	below: ['\u2500'],
	first: /^[>*](?: (.*))?$/,
	further: /^(.*)$/,
	placeholder: 'Type your message or @path/to/file',
	head: /^/,
	footers: 2,
	idle: /\n {2}(?:\u23f8 Ask permissions|plan mode|auto-accept edits|Auto mode|YOLO mode)(?: |$)/,
	idleTitle: /^Qwen - /,
	// Ctrl+Q, “queue”: an idle CLI begins with it at once. Enter would be a Yes to a question.
	sends: '\u0011',
};
