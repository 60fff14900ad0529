import type { Version } from '../../../src/base/version.ts';
import type { AgentHome, AgentHomeOptions } from '../agentHome.ts';
import type { AgentId } from '../pinnedAgent.ts';

/** What the conformance suite must know of one agent CLI beside its driver: how a person handles it in a terminal. */
export interface AgentUnderTest {
	id: AgentId;
	/** The id of its driver. */
	driver: string;
	home: (options: AgentHomeOptions) => AgentHome;
	/** Added to its environment. */
	env: Readonly<Record<string, string>>;
	/** The cells that `npm test` runs with it: fewer where a start keeps a core busy for ten seconds, or other tests have shown as much. */
	inTests: readonly string[];
	/** In the user's settings file: what makes it ask before it runs a command, where it does not by itself. */
	asking: Readonly<Record<string, unknown>>;
	/** In the user's settings file: what lets Nancy wake it, where that is the user's choice. */
	waking: Readonly<Record<string, unknown>>;
	/** Nancy wakes it where its user lets Nancy answer its questions, and nowhere else. */
	wakesWithAnswers?: true;
	/** What lets Nancy answer its questions, where that is the user's choice: its settings, and what it then asks at each start. */
	answering: { settings: Readonly<Record<string, unknown>>; question: RegExp; keys: string } | 'none';
	/** The permission question on its screen. */
	question: RegExp;
	/** The keys that say yes to it, once. */
	yes: string;
	/** The keys that say no to it. */
	no: string;
	/** The same three where Nancy may answer and a program of hers is in the terminal, and the invitation to type. */
	withAnswers?: Pick<AgentUnderTest, 'question' | 'yes' | 'no'> & { ready: RegExp };
	/** What it asks a person who starts it in a workspace that Nancy has set up, and the keys that agree. */
	trust: readonly { question: RegExp; keys: string }[];
	/** How the model calls a tool of Nancy's MCP server, and how the user is asked first; `none` where the CLI gets no server. */
	nancyTools: { call: (tool: string) => string; question: RegExp; yes: string } | 'none';
	/**
	 * The commands by which its user installs Nancy's plugin from the folder of a marketplace, its settings for that, and whether the plugin's
	 * hooks run; if not, what a person is told. `none` if it takes no such plugin.
	 */
	plugin:
		| {
				install: (folder: string) => readonly (readonly string[])[];
				settings: Readonly<Record<string, unknown>>;
				hooks: 'run' | { because: string };
				/** An earlier version ignores its hooks: docs/deployment.md says so. */
				since?: { version: Version; because: string };
		  }
		| 'none';
	/** What its user types to have the conversation summarized, and what its screen says afterwards; or why that is not tried. */
	compact: { command: string; done: RegExp } | { untried: string };
	/** On its screen when a hook went wrong. */
	complaint: RegExp;
	/** Steps by which the model hands another script to a subagent and gives it time; `none` where there are no subagents. */
	subagent: ((script: string) => string) | 'none';
	/** Files a user may have in the workspace where Nancy writes too, by their path: clean-up gives them back byte for byte. */
	usersFiles: Readonly<Record<string, string>>;
	/** What it makes itself beside what Nancy writes, and what a person is told of it; `nothing` where it makes nothing. */
	leaves: { files: RegExp; because: string } | 'nothing';
}

/** A step that calls a tool of the agent by its name. */
export function toolStep(name: string, input: Readonly<Record<string, unknown>>): string {
	// `]]` would end the step.
	return `[[tool:${name}|${JSON.stringify(input).replaceAll(']]', String.raw`]\u005d`)}]]`;
}
