import { homedir } from 'node:os';
import { join } from 'node:path';
import type { LaunchPlace } from '../../core/driver.ts';
import type { HeadlessFormat } from '../../core/headless.ts';
import { refuseLoosening } from '../loosening.ts';
import { modelFlags } from './launch.ts';
import { StreamReader } from './stream.ts';

const EVERYTHING = 'yolo';

/** The CLI takes each name also in camel case, and letters of several short options in one word. */
const LOOSENING =
	/^(?:--(?:yolo|approval-?mode|allowed-?tools|(?:admin-?)?policy|skip-?trust|include-?directories|allowed-?mcp-?server-?names)(?:=|$)|-[a-z]*y)/i;

/**
 * What stands in place of the settings of a trusted folder, which could allow every tool, and run MCP servers that the folder trusts for
 * its user. The user's own policies stay: they may deny, too.
 */
function heldFlags(env: LaunchPlace['env']): string[] {
	const home = env['GEMINI_CLI_HOME'] || env['HOME'] || homedir();
	return ['--allowed-tools=none', '--allowed-mcp-server-names=none', `--policy=${join(home, '.gemini', 'policies')}`];
}

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'default',
			label: 'Look',
			detail: 'Reads; nothing that would change something is offered to it, nor tools of MCP servers, but for what your own policies allow.',
			width: 0,
		},
		{
			id: 'auto_edit',
			label: 'Edit',
			detail: 'Edits files and reads the web; it is offered no commands and no tools of MCP servers, but for what your own policies allow.',
			width: 1,
		},
		{ id: EVERYTHING, label: 'Everything', detail: 'Whatever it wants, unasked. For sandboxes.', width: 2 },
	],
	beside: '“Look” and “Edit” take your own policies in ~/.gemini/policies, no others; hooks and tool discovery of the folder you trust run as ever.',
	// Trust and hooks are the folder's, and a worktree is a new one each time.
	runsIn: 'workspace',
	launch: ({ session, resume, model, permissions, extra, prompt, env }) => {
		const isHeld = permissions !== EVERYTHING;
		if (isHeld) refuseLoosening(extra, LOOSENING, EVERYTHING);
		return {
			args: [
				resume === undefined ? `--session-id=${session}` : `--resume=${resume}`,
				...modelFlags(model),
				'--output-format=stream-json',
				`--approval-mode=${permissions}`,
				...(isHeld ? heldFlags(env) : []),
				...extra,
			],
			// What is piped in is the prompt, and the run ends with it.
			stdin: prompt,
			env: {},
			sessionIsKnown: true,
		};
	},
	reader: () => new StreamReader(),
};
