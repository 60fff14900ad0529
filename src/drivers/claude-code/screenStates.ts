import type { ScreenStates } from '../../core/driver/screenStates.ts';

/** Seen with 2.1.329. Below an answer of the model are always the input line and its footer; a question takes their place. */
export const screenStates: ScreenStates = {
	answers: 'hook',
	// In a terminal that answers its question for OSC 7501, the title is constant.
	titles: [
		{ is: /^[◐◑] /, means: ['working'] },
		{ is: /^✳ /, means: ['idle', 'asking', 'trust'] },
	],
	bottoms: [
		{ is: /\n {2}\S[^\n]*\besc to interrupt\b[^\n]*$/, means: 'working' },
		{ is: /\n─{10,}\n {2}\S[^\n]*$/, means: 'idle' },
	],
	questions: [
		{
			state: 'asking',
			// A command begins with a blank. In a session that has a name, the last row of the screen is a rule with that name.
			top: /^─{10,}$/,
			whole: /^─+\n (?<tool>\S[^\n]*)\n(?:[^\n]*\n)*?╌+\n(?<what>[^]*\n)╌+\n (?<asks>Do you want to [^]*?\?)\n(?<options>[^\n]* 1\. [^]*?)\n\n Esc to cancel[^\n]*(?:\n+─{10,}(?: [^\n]* ─)?)?$/,
			options: [
				{ label: /^Yes$/, means: 'yes', key: 'digit' },
				{ label: /^Yes, (?:and|allow|don't ask) /, means: 'always', key: 'digit' },
				{ label: /^No$/, means: 'no', key: 'digit' },
			],
		},
		{
			state: 'trust',
			top: /^─{10,}$/,
			whole: /^─+\n (?<asks>Accessing workspace:)\n(?<what>[^]*)\n (?<options>[❯ ] No, exit\n {3}Yes, I trust this folder)\n\n Enter to confirm[^\n]*$/,
			options: [
				{ label: /No, exit$/, means: 'no', key: 'unknown' },
				{ label: /Yes, I trust this folder$/, means: 'yes', key: 'unknown' },
			],
		},
	],
};
