import { phrase } from '../../base/phrase.ts';
import type { Version } from '../../base/version.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { floorsSince } from '../floors.ts';

/** The only version that was tried; see docs/agents/qwen.md. */
export const OLDEST: Version = [0, 24, 4];

export const floors = floorsSince(OLDEST, {
	tools: 'none',
	quietStop: 'none',
	status: 'none',
	worktree: 'none',
});

export const limits: Driver['limits'] = {
	tools: 'Nothing is known yet of Qwen Code and MCP servers at a launch.',
	steer: 'Words between tool calls and with a prompt reach the model with &lt; and &gt; in place of < and >.',
	halt: 'A pause denies the tool call and asks the agent to end its turn; Qwen Code ends no turn at a hook’s word.',
	feedback:
		'Feedback that keeps the agent going is not in Qwen Code’s own record: a conversation that is resumed does not hold it, and nothing proves that it was read.',
	quietStop: 'Feedback that keeps the agent going is shown as “Stop hook error”.',
	wake: phrase`Nancy wakes an idle Qwen Code only where you have set "nancy.terminal.host" to "watched" or "conversation", or "nancy.agents.qwen-code.answers"; elsewhere messages wait for the next prompt, or for "Nancy: Wake by Typing".`,
	answers:
		'Only to what Nancy starts in a terminal, where you have set "nancy.agents.qwen-code.answers" (or "nancy.terminal.host" to "conversation"): the agent then runs in a terminal of Nancy’s own. A No ends the turn, and words with it are a message. Plans are answered in that terminal alone, and what the model itself asks can only be declined there. Without that setting, and with "nancy.terminal.host" set to "watched", a No to a question on its own screen is typed there. A Yes is given there alone, because Qwen Code does not draw the end of a full line.',
	status: 'Qwen Code does not tell what its sessions are doing when asked; events and its own record of the session do.',
	headless: 'It tells tokens, but no cost.',
	worktree:
		'Qwen Code takes hooks from the folder it works in: as a delegate it works in the workspace’s own folder alone, in no worktree.',
};
