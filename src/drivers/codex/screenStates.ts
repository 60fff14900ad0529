import type { ScreenStates } from '../../core/driver/screenStates.ts';

/** Seen with 0.169.0, which reports what it does by OSC 7501 unasked. */
export const screenStates: ScreenStates = {
	answers: 'hook',
	// The title of an idle CLI is a name alone.
	titles: [
		{ is: /^\[ [!.] \] Action Required(?: \||$)/, means: ['asking'] },
		{ is: /^[\u2800-\u28ff] /, means: ['working'] },
	],
	bottoms: [
		{ is: /^• [^\n]*\([^()\n]* • esc to interrupt\)/m, means: 'working' },
		{ is: /^› (?!\d\. )[^\n]*(?:\n {2}[^\n]*|\n)*$/m, means: 'idle' },
	],
	questions: [
		{
			state: 'asking',
			top: /^ {2}Would you like to run the following command\?$/,
			whole: /^ {2}(?<asks>[^\n]*)\n(?:[^\n]*\n)*? {2}\$ (?<what>[^]*)\n\n+(?<options>[› ] 1\. [^]*?)\n\n {2}Press enter to confirm or esc to cancel$/,
			options: [
				{ label: /^Yes, proceed \(y\)$/, means: 'yes', key: 'digit' },
				{ label: /^Yes, and /, means: 'always', key: 'digit' },
				{ label: /^No, and tell Codex what to do differently \(esc\)$/, means: 'no', key: 'digit' },
			],
		},
		{
			state: 'trust',
			top: /^ {2}Folder access$/,
			whole: /^(?<what>[^]*)\n {2}(?<asks>Trust this folder\?)[^]*?\n\n(?<options>[› ] 1\. [^]*?)\n\n {2}enter continue[^\n]*$/,
			options: [
				{ label: /^Trust and continue$/, means: 'yes', key: 'digit' },
				{ label: /^Back to Agent Command Center$/, means: 'no', key: 'digit' },
			],
		},
	],
};
