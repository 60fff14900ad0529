import type { HeadlessFormat } from '../../core/driver/headless.ts';
import { refuseLoosening } from '../loosening.ts';
import { conversationFlags, settingsEnvironment } from './launch.ts';
import { OWN_AGENT } from './plugin.ts';
import { StreamReader } from './stream.ts';

/**
 * In the CLI's words: `ask` denies, for nobody is there to ask, and is reported; what is denied is not even offered. Nothing is ever
 * allowed: that would stand above the user's own rules, which may deny to read a file.
 */
type Rules = Readonly<Record<string, 'ask' | 'deny'>>;

interface Mode {
	args: readonly string[];
	/** Above every rule of the user's. */
	rules: Rules | 'none';
}

/** All that reaches beyond the files of its folder. */
const OUTWARD: Rules = {
	bash: 'ask',
	execute: 'ask',
	webfetch: 'ask',
	websearch: 'ask',
	codesearch: 'ask',
	// Each tool of an MCP server is named after both; the CLI's own with such names are asked for anyway, or denied.
	'*_*': 'ask',
	// A subagent has rules of its own.
	task: 'deny',
};

const EVERYTHING = 'all';

const CAREFUL: Mode = { args: [], rules: { edit: 'ask', ...OUTWARD } };

const modes: Readonly<Record<string, Mode>> = {
	ask: CAREFUL,
	edit: { args: [], rules: OUTWARD },
	configured: { args: [], rules: 'none' },
	[EVERYTHING]: { args: ['--auto'], rules: 'none' },
};

/** A command of the user's or the project's may name an agent too; a server elsewhere, and the project of another folder, have their own. */
const OTHER_AGENT = /^--(?:agent|command|attach|dir)(?:=|$)/;
/** With two twins that `--help` does not name; the CLI takes each name also in camel case. */
const UNASKED = /^--(?:auto|yolo|dangerously-?skip-?permissions)(?:=|$)/i;

/**
 * An agent of Nancy's own: an agent's rules stand last, above those that opencode.json has for everything and for other agents. Its
 * name is new each time, so that no file of the workspace can hold rules for it.
 */
function heldTo(rules: Rules, extra: readonly string[]) {
	refuseLoosening(extra, OTHER_AGENT, 'configured');
	const name = `${OWN_AGENT}${crypto.randomUUID()}`;
	const agent = { [name]: { description: 'Held to what Nancy was told', mode: 'primary', permission: rules } };
	return { args: [`--agent=${name}`], agent };
}

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'ask',
			label: 'Ask',
			detail: 'Reads; edits, commands, pages of the web and tools of MCP servers are denied, and reported. Custom tools and plugins, also the project’s, run unasked.',
			width: 0,
		},
		{
			id: 'edit',
			label: 'Edit',
			detail: 'Edits files in its folder; commands and all the rest are denied, and reported. Custom tools and plugins, also the project’s, run unasked.',
			width: 1,
		},
		{
			id: 'configured',
			label: 'As Configured',
			detail: 'What opencode.json allows, which is everything where it says nothing; what it would ask for is denied.',
			width: 2,
		},
		{
			id: EVERYTHING,
			label: 'Everything',
			detail: 'Whatever opencode.json does not deny, unasked. For sandboxes.',
			width: 3,
		},
	],
	beside: 'Custom tools and plugins ask nobody: those of the project run too, in every mode.',
	runsIn: 'anywhere',
	launch: ({ resume, model, permissions, extra, prompt, ...place }) => {
		const { args, rules } = modes[permissions] ?? CAREFUL;
		if (permissions !== EVERYTHING) refuseLoosening(extra, UNASKED, EVERYTHING);
		const held = rules === 'none' ? { args: [], agent: {} } : heldTo(rules, extra);
		return {
			args: ['run', '--format=json', ...conversationFlags({ resume, model }), ...args, ...held.args, ...extra],
			// Without words on the command line, what is piped in is the prompt.
			stdin: prompt,
			env: settingsEnvironment(place, held),
			sessionIsKnown: resume !== undefined,
		};
	},
	reader: () => new StreamReader(),
};
