import { phrase } from '../../base/phrase.ts';
import type { Version } from '../../base/version.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { floorsSince } from '../floors.ts';

/** The last version, whose source was read: see docs/agents/amazon-q.md. */
export const OLDEST: Version = [1, 19, 7];

export const floors = floorsSince(OLDEST, {
	steer: 'none',
	feedback: 'none',
	batchEnd: 'none',
	quietStop: 'none',
	wake: 'none',
	permissions: 'none',
	answers: 'none',
	status: 'none',
	skills: 'none',
	resume: 'none',
	fork: 'none',
	worktree: 'none',
	tools: 'none',
});

export const limits: Driver['limits'] = {
	hooks: 'Only what Nancy starts reports: Amazon Q tells its hooks no session. It runs as the agent “nancy”, and not as another agent that you have chosen.',
	steer: 'Amazon Q gives the model words of a hook only with a prompt, or as the reason of a denial: a directive waits for the next prompt.',
	halt: 'A pause denies the tool call and asks the agent to end its turn; Amazon Q ends no turn at a hook’s word.',
	feedback: 'Amazon Q goes on for no hook: feedback waits for the next prompt.',
	batchEnd: 'Amazon Q reports no end of a step.',
	quietStop: 'No feedback keeps it going.',
	wake: phrase`Nothing wakes an idle Amazon Q: messages wait for the next prompt.`,
	permissions:
		'No hook of Amazon Q tells that it asks. Nancy reads it from the screen where you have set "nancy.terminal.host" to "watched".',
	answers:
		'Its questions are answered in its terminal. Where you have set "nancy.terminal.host" to "watched", a No can come from elsewhere.',
	status: 'Amazon Q does not tell what its sessions are doing when asked; events do.',
	skills: 'Amazon Q reads no skills.',
	resume: 'Amazon Q goes on with the last conversation of a folder, whosever that is: Nancy would give one worker the conversation of another.',
	fork: 'Amazon Q copies no conversation.',
	headless: 'It tells its answer alone: neither tokens nor cost.',
	worktree:
		'Amazon Q takes its agent file from the folder that it works in: it works in the workspace’s own folder alone.',
	tools: 'Nobody has tried Amazon Q with Nancy’s MCP server, and Nancy gives it none.',
};
