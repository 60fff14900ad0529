import type { HeadlessFormat } from '../../core/headless.ts';
import { conversationFlags, hookEnvironment } from './launch.ts';
import { StreamReader } from './stream.ts';

interface Mode {
	args: readonly string[];
	/** On top of the user's own rules, in the CLI's words. `ask` denies: nobody is there to ask. */
	rules: Readonly<Record<string, 'ask'>>;
}

const modes: Readonly<Record<string, Mode>> = {
	ask: { args: [], rules: { edit: 'ask', bash: 'ask', webfetch: 'ask' } },
	edit: { args: [], rules: { bash: 'ask', webfetch: 'ask' } },
	configured: { args: [], rules: {} },
	all: { args: ['--auto'], rules: {} },
};

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'ask',
			label: 'Ask',
			detail: 'Reads; edits, commands and pages of the web are denied, and reported.',
			width: 0,
		},
		{
			id: 'edit',
			label: 'Edit',
			detail: 'Edits files in its folder; commands are denied, and reported.',
			width: 1,
		},
		{
			id: 'configured',
			label: 'As Configured',
			detail: 'What opencode.json allows, which is everything where it says nothing; what it would ask for is denied.',
			width: 2,
		},
		{
			id: 'all',
			label: 'Everything',
			detail: 'Whatever opencode.json does not deny, unasked. For sandboxes.',
			width: 3,
		},
	],
	runsIn: 'anywhere',
	launch: ({ resume, model, permissions, extra, prompt, hooks }) => {
		const { args, rules } = modes[permissions] ?? modes['ask'] ?? { args: [], rules: {} };
		return {
			args: ['run', '--format=json', ...conversationFlags({ resume, model }), ...args, ...extra],
			// Without words on the command line, what is piped in is the prompt.
			stdin: prompt,
			env: {
				...hookEnvironment(hooks),
				...(Object.keys(rules).length > 0 && { OPENCODE_PERMISSION: JSON.stringify(rules) }),
			},
			sessionIsKnown: resume !== undefined,
		};
	},
	reader: () => new StreamReader(),
};
