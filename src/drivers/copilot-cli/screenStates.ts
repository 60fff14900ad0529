import type { ScreenStates } from '../../core/driver/screenStates.ts';

const FRAME = /^│ | *│$/g;
const ESCAPE = '\u001b';

/** Seen with 1.0.102. Its title is a prompt. The footer says at the start what it loads. */
export const screenStates: ScreenStates = {
	answers: 'hook',
	titles: [],
	bottoms: [
		{ is: /\n [◉●○◎] (?!Loading\b)\S[^\n]*$/, means: 'working' },
		{ is: /\n─{10,}\n \S[^\n]*$/, means: 'idle' },
	],
	questions: [
		{
			state: 'trust',
			top: /^╭─{10,}╮$/,
			frame: FRAME,
			whole: /^╭─+╮\nConfirm folder trust\n─+\n(?<what>[^]*)\n\n(?<asks>Do you trust [^]*?\?)\n\n(?<options>[❯ ] 1\. [^]*?)\n\n↑\/↓ to navigate[^\n]*(?:\n[^\n]+)?\n╰─+╯$/,
			options: [
				{ label: /^Yes$/, means: 'yes', key: 'digit' },
				{ label: /^Yes, and /, means: 'always', key: 'digit' },
				{ label: /^No \(Esc\)$/, means: 'no', key: ESCAPE },
			],
		},
		{
			state: 'asking',
			top: /^╭─{10,}╮$/,
			frame: FRAME,
			whole: /^╭─+╮\n\S[^]*?\n─+\n(?<what>[^]*)\n\n(?<asks>Do you want to [^]*?\?)\n\n(?<options>[❯ ] 1\. [^]*?)\n\n↑\/↓ to navigate[^\n]*(?:\n[^\n]+)?\n╰─+╯$/,
			options: [
				{ label: /^Yes$/, means: 'yes', key: 'digit' },
				{ label: /^Yes, and /, means: 'always', key: 'digit' },
				// The digit goes to the label, in whose place the words are typed.
				{ label: /^No, and tell Copilot .*\(Esc to stop\)$/, means: 'no-with-words', key: 'digit' },
				{ label: /\(Esc to stop\)$/, means: 'no', key: ESCAPE },
			],
		},
	],
};
