import type { ScreenStates } from '../../core/driver/screenStates.ts';

/** Seen with 0.24.4. */
export const screenStates: ScreenStates = {
	answers: 'keys',
	titles: [
		{ is: /^✳\ufe0e? /, means: ['asking'] },
		{ is: /^[◐◑◒◓]\ufe0e? /, means: ['working'] },
		{ is: /^Qwen - /, means: ['idle', 'trust'] },
	],
	bottoms: [
		{ is: /\(\S+ · (?:[^\n]* · )?esc to cancel\)\n─{10,}\n/, means: 'working' },
		{ is: /\n─{10,}(?:\n[^\n]*){1,3}$/, means: 'idle' },
	],
	questions: [
		{
			state: 'asking',
			// What it asks about is further in.
			top: /^ {2}\? \S/,
			// A scroll bar.
			frame: / *[█│]$/,
			whole: /^ {2}\? (?<tool>\S+) (?<about>(?:[^\n]*\n)+?)\n(?<what>[^]*)\n\n {3}(?<asks>(?:Allow execution of: '[^]*'|Apply this change)\?)\n\n(?<options> {3}[› ] 1\. [^]*?)\n\n+ {2}[\u2800-\u28ff] Waiting for user confirmation\.\.\.$/,
			options: [
				{ label: /^Yes, allow once$/, means: 'yes', key: 'digit' },
				{ label: /^(?:Always allow|Yes, allow always)\b/, means: 'always', key: 'digit' },
				{ label: /^Modify with external editor$/, means: 'other', key: 'digit' },
				{ label: /^No, suggest changes \(esc\)$/, means: 'no', key: 'digit' },
			],
		},
	],
};
