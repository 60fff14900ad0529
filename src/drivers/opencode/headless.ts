import { NO_WORKSPACE } from '../../base/searchPath.ts';
import { phrase } from '../../base/phrase.ts';
import type { HeadlessFormat } from '../../core/driver/headless.ts';
import { ASK_ME, refuseUnheld } from '../askMe.ts';
import { refuseLoosening } from '../loosening.ts';
import { conversationFlags, settingsEnvironment } from './launch.ts';
import { ASKING_AGENT, CAREFUL, OUTWARD, OWN_AGENT, type Rules } from './runRules.ts';
import { StreamReader } from './stream.ts';

interface Mode {
	args: readonly string[];
	/** Overrides every rule of the user's. */
	rules: Rules | 'none';
	/** How the name of the agent with these rules begins. */
	agent?: string;
}

const EVERYTHING = 'all';

const READ_ONLY: Mode = { args: [], rules: CAREFUL };

const modes: Readonly<Record<string, Mode>> = {
	ask: READ_ONLY,
	// What is asked for is held by Nancy's plugin. Without it, the same rules deny.
	[ASK_ME]: { ...READ_ONLY, agent: ASKING_AGENT },
	edit: { args: [], rules: OUTWARD },
	configured: { args: [], rules: 'none' },
	[EVERYTHING]: { args: ['--auto'], rules: 'none' },
};

/**
 * A command of the user's or the project's may name an agent too. A server elsewhere, and the project of another folder, have their own
 * agents.
 */
const OTHER_AGENT = /^--(?:agent|command|attach|dir)(?:=|$)/;
/** With two synonyms that `--help` does not name. The CLI accepts each name also in camel case. */
const UNASKED = /^--(?:auto|yolo|dangerously-?skip-?permissions)(?:=|$)/i;

/**
 * An agent definition of Nancy's own. An agent's rules come last, and override those of opencode.json for everything and for other agents.
 * Its name is new each time, so no file of the workspace can hold rules for it.
 */
function heldTo(rules: Rules, extra: readonly string[], begins = OWN_AGENT) {
	refuseLoosening(extra, OTHER_AGENT, 'configured');
	const name = `${begins}${crypto.randomUUID()}`;
	const agent = { [name]: { description: 'Held to what Nancy was told', mode: 'primary', permission: rules } };
	return { args: [`--agent=${name}`], agent, isHeld: true };
}

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'ask',
			label: phrase`Read only`,
			detail: phrase`Reads; edits, commands, pages of the web and tools of MCP servers are denied, and reported. Custom tools and plugins, also the project's, run unasked.`,
			width: 0,
		},
		{
			id: ASK_ME,
			label: phrase`Ask me`,
			detail: phrase`Reads; edits, commands, pages of the web and tools of MCP servers wait for your answer, and are denied if its time ends first. Custom tools and plugins, also the project's, run unasked.`,
			width: 0,
			asks: true,
		},
		{
			id: 'edit',
			label: phrase`Edit`,
			detail: phrase`Edits files in its folder; commands and all the rest are denied, and reported. Custom tools and plugins, also the project's, run unasked.`,
			width: 1,
		},
		{
			id: 'configured',
			label: phrase`As Configured`,
			detail: phrase`What opencode.json allows, which is everything where it says nothing; what it would ask for is denied.`,
			width: 2,
		},
		{
			id: EVERYTHING,
			label: phrase`Everything`,
			detail: phrase`Whatever opencode.json does not deny, unasked. For sandboxes.`,
			width: 3,
		},
	],
	settingsFrom: 'none',
	homeFolders: 'none',
	beside: 'Custom tools and plugins ask nobody: those of the project run too, in every mode.',
	launch: ({ resume, model, permissions, extra, prompt, cwd, ...place }) => {
		refuseUnheld(permissions, place.hooks);
		const { args, rules, agent } = modes[permissions] ?? READ_ONLY;
		if (permissions !== EVERYTHING) refuseLoosening(extra, UNASKED, EVERYTHING);
		// A person's own words: of another folder, or of a server, whose folder is not here.
		const isElsewhere = extra.some(word => /^--(?:attach|dir)(?:=|$)/.test(word));
		const where = isElsewhere ? {} : { startsIn: NO_WORKSPACE };
		const held = rules === 'none' ? { args: [], agent: {} } : heldTo(rules, extra, agent);
		return {
			...where,
			args: [
				'run',
				'--format=json',
				...(isElsewhere ? [] : [`--dir=${cwd}`]),
				...conversationFlags({ resume, model }),
				...args,
				...held.args,
				...extra,
			],
			// Without a prompt on the command line, the piped input is the prompt.
			stdin: prompt,
			env: settingsEnvironment(place, { ...held, isHeadless: true }),
			sessionIsKnown: resume !== undefined,
		};
	},
	reader: () => new StreamReader(),
};
