/**
 * An agent's first prompt for another agent in a terminal, as text alone. CLIs obey what a person would type there. They read the files
 * that `@path` mentions, whatever the permissions. They run `!command` and `/command` if the prompt begins so. A backslash before each `@`
 * and words of Nancy's in front stop that (measured with every CLI: see docs/agents). Copilot CLI takes images behind a backslash too, so a
 * blank follows the `@` of what may be a file's name. Invisible characters stop nothing, because Claude Code removes them.
 */
export function promptOfAgent(prompt: string): string {
	const plain = prompt.replaceAll(/(?<!\\)@/g, '\\@').replaceAll(/@(?=\S*\.)/g, '@ ');
	return `A task from another agent:\n\n${plain}`;
}
