import { phrase } from '../../base/phrase.ts';
import type { HeadlessFormat } from '../../core/driver/headless.ts';
import { refuseLoosening } from '../loosening.ts';
import { conversationFlags, hookFlags } from './launch.ts';
import { StreamReader } from './stream.ts';

const flagsByMode: Readonly<Record<string, readonly string[]>> = {
	ask: [],
	edit: ['--allow-tool=write'],
	tools: ['--allow-all-tools'],
	all: ['--allow-all'],
};

const EVERYTHING = 'all';

const LOOSENING = /^(?:--(?:allow-all[a-z-]*|yolo|plugin-dir|trust-folder|assisted-approval)(?:=|$)|-s*C)/;

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'ask',
			label: phrase`Read only`,
			detail: phrase`Reads; what it would have to ask for is denied and reported. What you have allowed in this folder for good runs, and what hooks allow, of yours or of a trusted folder.`,
			width: 0,
		},
		{
			id: 'edit',
			label: phrase`Edit`,
			detail: phrase`Edits files in its folder; other commands are denied and reported, but for what you or hooks allow as under "Read only".`,
			width: 1,
		},
		{
			id: 'tools',
			label: phrase`Tools`,
			detail: phrase`Runs every tool unasked, on files in its folder.`,
			width: 2,
		},
		{
			id: EVERYTHING,
			label: phrase`Everything`,
			detail: phrase`Everything, anywhere, without asking. For sandboxes.`,
			width: 3,
		},
	],
	settingsFrom: 'none',
	homeFolders: 'none',
	beside: 'What you have allowed in a folder for good holds in “Read only” and “Edit” too, and so does what hooks allow, of yours or of a folder that you trust.',
	launch: ({ session, resume, model, permissions, extra, prompt, hooks }) => {
		const isHeld = permissions !== EVERYTHING;
		if (isHeld) refuseLoosening(extra, LOOSENING, EVERYTHING);
		return {
			args: [
				...conversationFlags({ session, resume, model }),
				'--output-format=json',
				// Nobody is there to answer.
				'--no-ask-user',
				...(flagsByMode[permissions] ?? []),
				...hookFlags(hooks),
				...extra,
			],
			// The piped input is the prompt, and the run ends with it.
			stdin: prompt,
			// If set, it would allow all tools in every mode. An empty value turns it off.
			env: isHeld ? { COPILOT_ALLOW_ALL: '' } : {},
			sessionIsKnown: true,
		};
	},
	reader: () => new StreamReader(),
};
