import type { ScreenStates } from '../../core/driver/screenStates.ts';

const FRAME = /^ {2}┃(?: {2})?| *[█▀▄]$/g;
const ESCAPE = '\u001b';

/**
 * Seen with 1.18.33. Only a colour shows which option Enter would choose. In a narrow terminal the
 * line of the options is cut, or its second half is a line of its own. In one of more than 120 columns, a column on the right has words of
 * its own, of which the last stand below the dialog.
 */
export const screenStates: ScreenStates = {
	answers: 'hook',
	titles: [],
	bottoms: [
		// The footer may take two lines. Without animations it has no bar.
		{
			is: /\n[^\n]*(?: esc (?:again to )?interrupt| [⬝■]{6,} | esc\b[^\n]*\n[^\n]* interrupt\b)[^\n]*(?:\n[^\n]*)?$/,
			means: 'working',
		},
		{ is: / commands(?: +• OpenCode \S+)?$|\n {2}\S[^\n]* \d+\.\d+\.\d+$/, means: 'idle' },
	],
	questions: [
		{
			state: 'asking',
			top: /^ {2}┃ {2}△ /,
			frame: FRAME,
			// It is drawn before the text that it is about is there.
			whole: /^△ (?<asks>Permission required)(?: {3,}[^\n]*)?\n {2}\S (?<tool>[^\n]*)\n(?<what>(?:[^\n]*\n)*? {0,9}\S[^]*)\n+ (?<options>Allow once {3}Allow always {3}Reject)(?: {2,}|\n\n)(?:ctrl\+f |⇆ )[^\n]*(?:\n *(?:• OpenCode \S+)?)*$/,
			options: [
				{ label: /^Allow once$/, means: 'yes', key: 'unknown' },
				{ label: /^Allow always$/, means: 'always', key: 'unknown' },
				{ label: /^Reject$/, means: 'no', key: ESCAPE },
			],
		},
		{
			state: 'asking',
			top: /^ {2}┃ {2}△ /,
			frame: FRAME,
			whole: /^△ (?<asks>Always allow)(?: {3,}[^\n]*)?\n(?<what>[^]*)\n+ (?<options>Confirm {3}Cancel)(?: {2,}|\n\n)(?:ctrl\+f |⇆ )[^\n]*(?:\n *(?:• OpenCode \S+)?)*$/,
			options: [
				{ label: /^Confirm$/, means: 'always', key: 'unknown' },
				{ label: /^Cancel$/, means: 'other', key: 'unknown' },
			],
		},
	],
};
