import type { ScreenProfile } from '../../core/driver/screen.ts';

/** Seen with 1.0.102. While it works or something is typed, its last line names other keys; a question takes the place of all these lines. */
export const screen: ScreenProfile = {
	rule: '─',
	first: /^\u276f(?: (.*))?$/,
	further: /^ {2}(.*)$/,
	// Ctrl+Q, “enqueue prompt”: an idle CLI begins with it at once. Enter would be a Yes to a question.
	sends: '\u0011',
	// A narrow screen leaves out what follows.
	idle: /^ (?:.* · )?\/ commands(?: |$)/,
};
