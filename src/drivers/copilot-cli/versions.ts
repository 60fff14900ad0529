import { phrase } from '../../base/phrase.ts';
import type { Version } from '../../base/version.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { floorsSince } from '../floors.ts';

/**
 * The version that everything here was measured on. By the changelog, 1.0.72 has all used features. But 1.0.73 did not run its first
 * prompt, and on 1.0.85 a broken-off turn, a pause and a subagent failed.
 */
export const OLDEST: Version = [1, 0, 102];

export const floors = floorsSince(OLDEST, { batchEnd: 'none', status: 'none', fork: 'none' });

export const limits: Driver['limits'] = {
	batchEnd:
		'Copilot CLI reports no end of a step; a directive goes with the result of a tool call, and one sent after the last of them with the next.',
	wake: phrase`Copilot CLI is woken only where you have set "nancy.terminal.host" to "watched", or switched on its experimental features ("/experimental on"); elsewhere messages wait for the next prompt, or for "Nancy: Wake by Typing".`,
	permissions:
		'Questions are reported. After a Yes, Copilot CLI says nothing until the command ends: until then the agent is shown as waiting, but where Nancy carries answers.',
	answers:
		'Only to what Nancy starts in a terminal, where you have set "nancy.agents.copilot-cli.answers" and switched on its experimental features ("/experimental on"), and have agreed at its own question. Plans, and forms with numbers, are answered in its terminal alone.',
	status: 'Copilot CLI does not tell what its sessions are doing when asked; events and its own record of the session do.',
	fork: 'Copilot CLI has no option that begins a session as a copy of another.',
	headless: 'It tells neither tokens nor cost. With GitHub’s own models it may tell tokens.',
};
