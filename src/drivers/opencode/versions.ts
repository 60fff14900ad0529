import type { Version } from '../../base/version.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { floorsSince } from '../floors.ts';

/** The version that everything here was measured on; the hooks of its plugins change from version to version. */
export const OLDEST: Version = [1, 18, 33];

export const floors = floorsSince(OLDEST, { batchEnd: 'none', status: 'none', fork: 'none', tools: 'none' });

export const limits: Driver['limits'] = {
	hooks: 'opencode begins a session with its first prompt; until then Nancy knows no session, and messages wait for that prompt.',
	batchEnd:
		'opencode reports no end of a step; a directive goes with the result of a tool call, and one sent after the last of them with the next.',
	feedback:
		'Without a terminal, feedback that comes while opencode talks before it calls a tool is read a step early, for at the end of a text it is not known whether a tool follows.',
	fork: 'Started with “--fork” in a terminal, opencode loses the earlier conversation if anything is typed before it is shown.',
	headless:
		'Held to “Read only” or “Edit”, a run is an agent of Nancy’s own with opencode’s default prompt, and ends at the first thing that it may not do.',
	resume: 'Resumed without hooks, opencode takes no prompt from its command line: type it.',
	tools: 'opencode asks nobody before it calls a tool of an MCP server, so Nancy gives it none; its user may.',
	status: 'opencode does not tell what its sessions are doing when asked; its events do. Nor does it keep a record that shows the tokens and the cost of a session in a terminal.',
};
