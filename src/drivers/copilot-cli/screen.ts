import type { ScreenProfile } from '../../core/driver/screen.ts';

/** Seen with 1.0.102. While it works or something is typed, its last line names other keys; a question takes the place of all these lines. */
export const screen: ScreenProfile = {
	buffer: 'alternate',
	fills: true,
	above: ['\u2500'],
	below: ['\u2500'],
	first: /^\u276f(?: (.*))?$/,
	further: /^(?: {2}(.*))?$/,
	placeholder: '',
	head: /^/,
	footers: 1,
	// A narrow screen leaves out what follows.
	idle: /^ (?:.* · )?\/ commands(?: |$)/,
	idleTitle: 'none',
	// Ctrl+Q, “enqueue prompt”: an idle CLI begins with it at once. Enter would be a Yes to a question.
	sends: '\u0011',
};
