import { phrase } from '../../base/phrase.ts';
import type { Version } from '../../base/version.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { floorsSince } from '../floors.ts';

/**
 * The oldest version on which every row of the table of abilities was tried. The exception is the rows of abilities that {@link floors}
 * lets begin later or never. An unknown flag or event would be found out only in front of the user.
 */
export const OLDEST: Version = [0, 55, 1];

/** The only version that was talked with. */
const TALKED_WITH: Version = [0, 61, 0];

export const floors = floorsSince(OLDEST, {
	tools: 'none',
	batchEnd: 'none',
	quietStop: 'none',
	wake: TALKED_WITH,
	answers: TALKED_WITH,
	status: 'none',
	fork: 'none',
	worktree: 'none',
});

export const limits: Driver['limits'] = {
	tools: 'Gemini CLI takes an MCP server from a settings file or an extension alone, and Nancy writes neither.',
	batchEnd:
		'Gemini CLI reports no end of a step; a directive goes with the result of a tool call, and one sent after the last of them with the next.',
	halt: 'A pause denies the tool call and asks the agent to end its turn; where Gemini CLI ends a turn for a hook, the agent never reads why.',
	quietStop: 'Feedback that keeps the agent going is shown as “Agent execution blocked”.',
	wake: phrase`Nancy wakes an idle Gemini CLI only where you have set "nancy.terminal.host" to "watched" or "conversation", or "nancy.agents.gemini-cli.answers"; elsewhere messages wait for the next prompt, or for "Nancy: Wake by Typing".`,
	permissions:
		'Questions are reported, and answered in the terminal alone but where Nancy carries answers. After a Yes, Gemini CLI says nothing until the command ends: until then the agent is shown as waiting.',
	answers:
		'Only to what Nancy starts in a terminal, where you have set "nancy.agents.gemini-cli.answers" (or "nancy.terminal.host" to "conversation") and trusted the folder: the agent then runs in a terminal of Nancy’s own, hears a directive when its turn ends, and its session is resumed in its own terminal. Words with a No are a message. Commands and edits alone are answered, everything else in that terminal. Without that setting, and with "nancy.terminal.host" set to "watched", a No to a question on its own screen is typed there, and ends the turn. A Yes is given there alone, because Gemini CLI leaves out characters that the shell reads.',
	status: 'Gemini CLI does not tell what its sessions are doing when asked; events and its own record of the session do.',
	fork: 'Gemini CLI has no option that begins a session as a copy of another.',
	headless: 'It tells tokens, but no cost.',
	worktree:
		'Gemini CLI takes trust and hooks from the folder it works in: as a delegate it works in the workspace’s own folder alone, in no worktree.',
};
