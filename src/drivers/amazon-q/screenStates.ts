import type { ScreenStates } from '../../core/driver/screenStates.ts';

/** The terminal breaks a line at its width, in the middle of a word too. */
const broken = (text: string) => Array.from(text, each => each.replace(/[^\w ]/, '\\$&')).join('\\n?');

const ASKS = "Allow this action? Use 't' to trust (always allow) this tool for the session. [y/";

/** The input line, with nothing typed into it. By the source: `> `, `[agent] > `, and with `!` where every tool is trusted. */
const INPUT = String.raw`(?:\[[^\]\n]*\] )?!?>$`;

/** As the source of 1.19.7 prints it: see docs/agents/amazon-q.md. */
export const screenStates: ScreenStates = {
	answers: 'line',
	titles: [],
	bottoms: [
		{ is: new RegExp(`(?:^|\n)${INPUT}`), means: 'idle' },
		{ is: /Thinking\.\.\.$/, means: 'working' },
	],
	questions: [
		{
			state: 'asking',
			top: /^\ud83d\udee0\ufe0f? +Using tool: /,
			whole: new RegExp(
				`^\u{1f6e0}\ufe0f? +Using tool: (?<tool>[a-z_]+)[^\n]*\n(?<what>[^]*?)\n\n(?<asks>${broken(ASKS)}\n?(?<options>n)\n?${broken('/t]:')})\n\n${INPUT}`,
			),
			// Any line but `y` and `t` is a No.
			options: [{ label: /^n$/, means: 'no', key: 'n\r' }],
		},
	],
};
