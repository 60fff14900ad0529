/**
 * In the CLI's words: `ask` denies in a run, because nobody is there to ask, and is reported. A denied tool is not even offered. Nothing is ever
 * allowed: an allowance would override the user's own rules, which may deny reading a file.
 */
export type Rules = Readonly<Record<string, 'ask' | 'deny'>>;

/** All tools that reach beyond the files of the folder. */
export const OUTWARD: Rules = {
	bash: 'ask',
	execute: 'ask',
	webfetch: 'ask',
	websearch: 'ask',
	codesearch: 'ask',
	// An MCP tool's name contains its server's name. The CLI's own tools with such names are asked for or denied anyway.
	'*_*': 'ask',
	// A subagent has rules of its own.
	task: 'deny',
};

export const CAREFUL: Rules = { edit: 'ask', ...OUTWARD };

/** How the names of Nancy's own agents begin, which exist in one run alone. */
export const OWN_AGENT = 'nancy-';

/** The same for a run whose user answers what {@link CAREFUL} asks for. */
export const ASKING_AGENT = `${OWN_AGENT}asks-`;
