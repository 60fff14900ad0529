import type { ScreenProfile } from '../../core/driver/screen.ts';

const UP = '\u001b[A';
const END = '\u001b[F';

/**
 * Seen with 0.61.0. A question takes the place of all these lines. Shell mode and the vim mode have another placeholder. Model text and output of
 * tools never begin in the first column.
 */
export const screen: ScreenProfile = {
	buffer: 'normal',
	fills: false,
	// Half blocks where the terminal has true color, otherwise lines of the background alone.
	above: ['\u2584', ' '],
	below: ['\u2580', ' '],
	first: /^ [>*] (.*)$/,
	further: /^(?: {3}(.*))?$/,
	placeholder: 'Type your message or @path/to/file',
	// A rule and the mode. On a narrow screen up to two more lines follow.
	head: /(?:^|\n)\u2500+\n {1,2}(?:Shift\+Tab to|auto-accept edits|plan|YOLO) [^\n]*(?:\n[^\n]*){0,2}$/,
	footers: 2,
	idle: /^ \S.*\n \S/,
	idleTitle: /^\u25c7 {2}Ready /,
	// Enter alone would be a Yes to a question, and no other key sends. Up leads from the first choice to the last, which is a No; in the input
	// line it only moves the cursor. End moves it back if Enter was not taken.
	sends: `${UP}\r${END}`,
};
