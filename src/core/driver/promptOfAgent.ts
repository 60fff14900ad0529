/**
 * An agent's first prompt for another agent in a terminal, as text alone. CLIs obey what a person would type there. They read the files
 * that `@path` mentions, whatever the permissions. They run `!command` and `/command` if the prompt begins so. A backslash before each `@`
 * and words of Nancy's in front stop that (measured with every CLI: see docs/agents). Invisible characters do not, because Claude Code
 * removes them.
 */
export function promptOfAgent(prompt: string): string {
	return `A task from another agent:\n\n${prompt.replaceAll(/(?<!\\)@/g, '\\@')}`;
}
