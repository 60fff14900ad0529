import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { dataFolder } from '../../base/folders.ts';
import type { LaunchPlace } from '../../core/driver/driver.ts';
import type { HeadlessFormat, HeadlessLaunch } from '../../core/driver/headless.ts';
import { refuseLoosening } from '../loosening.ts';
import { ID } from './events.ts';
import { modelFlags } from './launch.ts';
import { policyPaths } from './policies.ts';
import { StreamReader } from './stream.ts';

const EDIT = 'auto_edit';
const EVERYTHING = 'yolo';

/** The CLI takes each name also in camel case, and in one word the letters of several short options that have no value. */
const LOOSENING = /^(?:--(?:yolo|approval-?mode|skip-?trust)(?:=|$)|-[dslhv]*y)/i;

const SHELL = 'run_shell_command';
const EDITS = ['write_file', 'replace'];

/** Names that the CLI takes for another one where its user allows tools, and nowhere else. */
const ALIASES: Readonly<Record<string, string>> = { ShellTool: SHELL };

/**
 * What stands in place of the settings of a trusted folder, which could allow every tool, name policies, and run MCP servers that the
 * folder trusts for its user. The user's own policies stay: they may deny, too. Of the settings, the user's too, `tools.core` allows
 * each tool that it names, though it reads like a restriction: only policies stand above that.
 *
 * Nancy's is named twice. As an administrator's it stands above all of the user's, but where the system has policies of its own the CLI
 * takes no other administrator's. As a user's it then stands above the settings; of two equal ones the first counts.
 */
function heldBy(
	permissions: string,
	env: LaunchPlace['env'],
	extra: readonly string[],
): Required<Pick<HeadlessLaunch, 'args' | 'env' | 'files'>> {
	const named = allowedBy(extra);
	const denied = (permissions === EDIT ? [SHELL] : [SHELL, ...EDITS]).filter(tool => !named.has(tool));
	const path = join(dataFolder(env), 'policies', ID, `deny-${denied.join('-') || 'nothing'}.toml`);
	const { user, admin } = policyPaths(env);
	const mounts = env['SANDBOX_MOUNTS'];
	return {
		args: [
			// Beside one of the user's, who names each tool.
			'--allowed-tools=none',
			'--allowed-mcp-server-names=none',
			...[path, ...user].map(each => `--policy=${undivided(each)}`),
			...[path, ...admin].map(each => `--admin-policy=${undivided(each)}`),
		],
		// A container that the CLI moves into holds nothing of the user's but the workspace, and goes on without a file that is not there.
		env: { SANDBOX_MOUNTS: `${mounts ? `${mounts},` : ''}${mountable(path)}:${path}:ro` },
		files: [{ path, content: denied.map(denial).join('\n') }],
	};
}

function denial(tool: string): string {
	return `[[rule]]\ntoolName = ${JSON.stringify(tool)}\ndecision = "deny"\npriority = 999\n`;
}

/** @throws NancyError bad-file where the CLI would take a path for two, and go on without files that are not there */
function undivided(path: string): string {
	if (!path.includes(',')) return path;
	throw new NancyError('bad-file', `Gemini CLI takes no policies from a path with a comma: ${path}`);
}

/** @throws NancyError bad-file where the CLI would mount something else; with a drive's letter, it refuses itself to. */
function mountable(path: string): string {
	if (!/(?<!^[a-z]):/i.test(path)) return path;
	throw new NancyError('bad-file', `Gemini CLI takes no policies into a container from a path with a colon: ${path}`);
}

/** Tools that the user allows by name on the command line, all of them or with some arguments alone: `run_shell_command(npm test)`. */
function allowedBy(extra: readonly string[]): Set<string> {
	const lists = extra.flatMap((word, index) => {
		const [, value] = /^--allowed-?tools(?:=(.*))?$/is.exec(word) ?? [undefined, ''];
		return [value ?? extra[index + 1] ?? ''];
	});
	const names = lists.flatMap(list => list.split(',')).map(tool => tool.trim().replace(/\(.*/s, ''));
	return new Set(names.map(name => ALIASES[name] ?? name));
}

/** The CLI reads the files of its folder that a prompt mentions as `@path`, but for an escaped `\@` (measured with 0.61.0). */
const MENTION = /(?<!\\)@/g;

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
	beside: '“Look” and “Edit” take policies of your own and your system’s settings, none of the folder’s, and none of yours lets commands through; policies in the system’s own folder, hooks, and tools that the folder you trust has discovered, run as ever.',
	// Trust and hooks are the folder's, and a worktree is a new one each time.
	runsIn: 'workspace',
	launch: ({ session, resume, model, permissions, extra, prompt, env }) => {
		const held = permissions === EVERYTHING ? { args: [], env: {}, files: [] } : heldBy(permissions, env, extra);
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
			stdin: prompt.replaceAll(MENTION, '\\@'),
			env: held.env,
			files: held.files,
			sessionIsKnown: true,
		};
	},
	reader: () => new StreamReader(),
};
