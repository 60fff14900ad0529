import type { ScreenStates } from '../../core/driver/screenStates.ts';

/** Seen with 0.61.0, which draws in the normal buffer. */
export const screenStates: ScreenStates = {
	answers: 'keys',
	titles: [
		{ is: /^✋ /, means: ['asking'] },
		{ is: /^✦ /, means: ['working'] },
		// While it asks for trust, too.
		{ is: /^◇ /, means: ['idle', 'trust'] },
	],
	bottoms: [
		{ is: /^ [\u2800-\u28ff] [^\n]*\(esc to cancel[^]*\n > [^\n]*(?:\n[^\n]*){0,6}$/m, means: 'working' },
		{ is: /\n > [^\n]*(?:\n[^\n]*){0,6}$/, means: 'idle' },
	],
	questions: [
		{
			state: 'asking',
			top: /^╭─{10,}╮$/,
			frame: /^│ | *│$/g,
			// Below it may be a warning of the CLI's own, as where the terminal has few colours.
			whole: /^╭─+╮\n\? (?<tool>\S+) (?<about>(?:[^\n]*\n)+?)(?<what>╭─+╮\n[^]*╰─+╯)\n(?<asks>(?:Allow execution of \[[^]*?\]|Apply this change)\?)\n(?:Redirection detected\.[^\n]*\n(?:[^\n]+\n)?)?\n(?<options>[● ] 1\. [^]*?)\n*\n╰─+╯(?:\n\n⚠ [^\n]*(?:\n {3}[^\n]*){0,3})?$/,
			options: [
				{ label: /^Allow once$/, means: 'yes', key: 'digit' },
				{ label: /^Allow for /, means: 'always', key: 'digit' },
				{ label: /^Modify with external editor$/, means: 'other', key: 'digit' },
				{ label: /^No, suggest changes \(esc\)$/, means: 'no', key: 'digit' },
			],
		},
		{
			state: 'trust',
			top: /^ ?╭─{10,}╮$/,
			frame: /^ ?│ | *│$/g,
			whole: /^ ?╭─+╮\n\n?(?<asks>Do you trust [^]*?\?)\n\n(?<what>[^]*?)\n\n+(?<options>[● ] 1\. [^]*?)\n*\n ?╰─+╯$/,
			options: [
				{ label: /^Trust folder /, means: 'yes', key: 'digit' },
				{ label: /^Trust parent folder /, means: 'always', key: 'digit' },
				{ label: /^Don't trust$/, means: 'no', key: 'digit' },
			],
		},
	],
};
