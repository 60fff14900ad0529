import type { HeadlessFormat } from '../../core/headless.ts';
import { conversationFlags, hookFlags } from './launch.ts';
import { StreamReader } from './stream.ts';

const flagsByMode: Readonly<Record<string, readonly string[]>> = {
	ask: [],
	edit: ['--allow-tool=write'],
	tools: ['--allow-all-tools'],
	all: ['--allow-all'],
};

export const headless: HeadlessFormat = {
	permissionModes: [
		{ id: 'ask', label: 'Ask', detail: 'Reads; what it would have to ask for is denied and reported.', width: 0 },
		{
			id: 'edit',
			label: 'Edit',
			detail: 'Edits files in its folder; other commands are denied and reported.',
			width: 1,
		},
		{ id: 'tools', label: 'Tools', detail: 'Runs every tool unasked, on files in its folder.', width: 2 },
		{ id: 'all', label: 'Everything', detail: 'Whatever it wants, anywhere, unasked. For sandboxes.', width: 3 },
	],
	runsIn: 'anywhere',
	launch: ({ session, resume, model, permissions, extra, prompt, hooks }) => ({
		args: [
			...conversationFlags({ session, resume, model }),
			'--output-format=json',
			// Nobody is there to answer.
			'--no-ask-user',
			...(flagsByMode[permissions] ?? []),
			...hookFlags(hooks),
			...extra,
		],
		// What is piped in is the prompt, and the run ends with it.
		stdin: prompt,
		env: {},
		sessionIsKnown: true,
	}),
	reader: () => new StreamReader(),
};
