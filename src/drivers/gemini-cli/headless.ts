import { homedir } from 'node:os';
import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { dataFolder } from '../../base/folders.ts';
import type { LaunchPlace } from '../../core/driver.ts';
import type { HeadlessFormat } from '../../core/headless.ts';
import { refuseLoosening } from '../loosening.ts';
import { ID } from './events.ts';
import { modelFlags } from './launch.ts';
import { StreamReader } from './stream.ts';

const EDIT = 'auto_edit';
const EVERYTHING = 'yolo';

/** The CLI takes each name also in camel case, and in one word the letters of several short options that have no value. */
const LOOSENING = /^(?:--(?:yolo|approval-?mode|skip-?trust)(?:=|$)|-[dslhv]*y)/i;

/** What runs commands: the shell, and the tools that `tools.discoveryCommand` finds. */
const COMMANDS = ['run_shell_command', 'discovered_tool_*'];
const EDITS = ['write_file', 'replace'];

/**
 * What stands in place of the settings of a trusted folder, which could allow every tool, and run MCP servers that the folder trusts for
 * its user. The user's own policies stay: they may deny, too. Of the settings, the user's too, `tools.core` allows each tool that it
 * names, though it reads like a restriction: only a policy of an administrator stands above that.
 */
function heldBy(permissions: string, env: LaunchPlace['env'], extra: readonly string[]) {
	const home = env['GEMINI_CLI_HOME'] || env['HOME'] || homedir();
	const named = allowedBy(extra);
	const denied = (permissions === EDIT ? COMMANDS : [...COMMANDS, ...EDITS]).filter(tool => !named.has(tool));
	const path = join(
		dataFolder(env),
		'policies',
		ID,
		`deny-${denied.map(tool => tool.replace('*', 'any')).join('-')}.toml`,
	);
	// The CLI takes it for two names then, and goes on without a file that is not there.
	if (path.includes(','))
		throw new NancyError('bad-file', `Gemini CLI takes no policies from a path with a comma: ${path}`);
	return {
		args: [
			// Beside one of the user's, who names each tool.
			'--allowed-tools=none',
			'--allowed-mcp-server-names=none',
			`--policy=${join(home, '.gemini', 'policies')}`,
			`--admin-policy=${path}`,
		],
		files: [
			{ path, content: `[[rule]]\ntoolName = ${JSON.stringify(denied)}\ndecision = "deny"\npriority = 999\n` },
		],
	};
}

/** Tools that the user allows by name on the command line, all of them or with some arguments alone: `run_shell_command(npm test)`. */
function allowedBy(extra: readonly string[]): Set<string> {
	const lists = extra.flatMap((word, index) => {
		const [, value] = /^--allowed-?tools(?:=(.*))?$/is.exec(word) ?? [undefined, ''];
		return [value ?? extra[index + 1] ?? ''];
	});
	return new Set(lists.flatMap(list => list.split(',')).map(tool => tool.trim().replace(/\(.*/s, '')));
}

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'default',
			label: 'Look',
			detail: 'Reads; edits, commands and tools of MCP servers are not offered to it, whatever your settings and policies allow.',
			width: 0,
		},
		{
			id: EDIT,
			label: 'Edit',
			detail: 'Edits files and reads the web; it is offered no commands and no tools of MCP servers, whatever your settings and policies allow.',
			width: 1,
		},
		{ id: EVERYTHING, label: 'Everything', detail: 'Whatever it wants, unasked. For sandboxes.', width: 2 },
	],
	beside: '“Look” and “Edit” take your own policies in ~/.gemini/policies, no others, and none of them lets commands through; hooks and tool discovery of the folder you trust run as ever.',
	// Trust and hooks are the folder's, and a worktree is a new one each time.
	runsIn: 'workspace',
	launch: ({ session, resume, model, permissions, extra, prompt, env }) => {
		const held = permissions === EVERYTHING ? { args: [], files: [] } : heldBy(permissions, env, extra);
		if (permissions !== EVERYTHING) refuseLoosening(extra, LOOSENING, EVERYTHING);
		return {
			args: [
				resume === undefined ? `--session-id=${session}` : `--resume=${resume}`,
				...modelFlags(model),
				'--output-format=stream-json',
				`--approval-mode=${permissions}`,
				...held.args,
				...extra,
			],
			// What is piped in is the prompt, and the run ends with it.
			stdin: prompt,
			env: {},
			files: held.files,
			sessionIsKnown: true,
		};
	},
	reader: () => new StreamReader(),
};
