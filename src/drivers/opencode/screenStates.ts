import type { ScreenStates } from '../../core/driver/screenStates.ts';

const FRAME = /^ {2}┃(?: {2})?| *[█▀▄]$/g;
const ESCAPE = '\u001b';

/** Seen with 1.18.33. Only a colour shows which option Enter would choose. */
export const screenStates: ScreenStates = {
	answers: 'hook',
	titles: [],
	bottoms: [
		{ is: /\n[^\n]* esc (?:again to )?interrupt\b[^\n]*$/, means: 'working' },
		{ is: / ctrl\+p commands$|\n {2}\S[^\n]* \d+\.\d+\.\d+$/, means: 'idle' },
	],
	questions: [
		{
			state: 'asking',
			top: /^ {2}┃ {2}△ /,
			frame: FRAME,
			whole: /^△ (?<asks>Permission required)\n {2}[#→] (?<tool>[^\n]*)\n(?<what>[^]*)\n+ (?<options>Allow once {3}Allow always {3}Reject) {3,}[^\n]*\benter confirm\n*$/,
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
			whole: /^△ (?<asks>Always allow)\n(?<what>[^]*)\n+ (?<options>Confirm {3}Cancel) {3,}[^\n]*\benter confirm\n*$/,
			options: [
				{ label: /^Confirm$/, means: 'always', key: 'unknown' },
				{ label: /^Cancel$/, means: 'other', key: 'unknown' },
			],
		},
	],
};
