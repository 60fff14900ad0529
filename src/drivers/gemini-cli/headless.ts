import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { dataFolder } from '../../base/folders.ts';
import type { StartPlace } from '../../core/driver/driver.ts';
import type { LaunchPlace } from '../../core/driver/launchPlace.ts';
import type { HeadlessFormat, HeadlessLaunch } from '../../core/driver/headless.ts';
import { ASK_ME, refuseUnheld } from '../askMe.ts';
import { askingTalk } from '../conversation.ts';
import { refuseLoosening } from '../loosening.ts';
import { talkReader } from '../toldTalk.ts';
import { ID } from './events.ts';
import { modelFlags } from './launch.ts';
import { policyPaths } from './policies.ts';
import { maySandbox } from './sandbox.ts';
import { StreamReader } from './stream.ts';

const EDIT = 'auto_edit';
const EVERYTHING = 'yolo';

/** The CLI accepts each name also in camel case, and several short options without values in one word. */
const LOOSENING = /^(?:--(?:yolo|approval-?mode|skip-?trust)(?:=|$)|-[dslhv]*y)/i;

const SHELL = 'run_shell_command';
const EDITS = ['write_file', 'replace'];

/** Names that the CLI accepts as synonyms only where its user allows tools. */
const ALIASES: Readonly<Record<string, string>> = { ShellTool: SHELL };

/**
 * Options that replace the settings of a trusted folder, which could allow every tool, name policies, and run trusted MCP servers. The
 * user's own policies stay, because they may deny. `tools.core` of any settings allows each tool that it names, although it reads like a
 * restriction; only policies override it.
 * Nancy's policy is named twice. As an administrator's it overrides all of the user's. But if the system has policies of its own, the CLI
 * takes no other administrator's. As a user's it then overrides the settings; of two equal rules the first counts.
 */
function heldBy(
	permissions: string,
	env: LaunchPlace['env'],
	extra: readonly string[],
): Required<Pick<HeadlessLaunch, 'args' | 'env' | 'files'>> {
	const named = allowedBy(extra);
	const held = (permissions === EDIT ? [SHELL] : [SHELL, ...EDITS]).filter(tool => !named.has(tool));
	const decision = permissions === ASK_ME ? 'ask_user' : 'deny';
	const path = join(dataFolder(env), 'policies', ID, `${decision}-${held.join('-') || 'nothing'}.toml`);
	const { user, admin } = policyPaths(env);
	const mounts = env['SANDBOX_MOUNTS'];
	return {
		args: [
			// Beside an option of the user's that names single tools.
			'--allowed-tools=none',
			'--allowed-mcp-server-names=none',
			...[path, ...user].map(each => `--policy=${undivided(each)}`),
			...[path, ...admin].map(each => `--admin-policy=${undivided(each)}`),
		],
		// In a container, only the workspace and a copy of the settings are the user's. The CLI goes on without a missing file.
		env: { SANDBOX_MOUNTS: `${mounts ? `${mounts},` : ''}${mountable(path)}:${path}:ro` },
		files: [{ path, content: held.map(tool => rule(tool, decision)).join('\n') }],
	};
}

function rule(tool: string, decision: 'ask_user' | 'deny'): string {
	return `[[rule]]\ntoolName = ${JSON.stringify(tool)}\ndecision = "${decision}"\npriority = 999\n`;
}

/** @throws NancyError bad-file if the CLI would split the path in two, and go on without the missing files */
function undivided(path: string): string {
	if (!path.includes(',')) return path;
	throw new NancyError('bad-file', phrase`Gemini CLI takes no policies from a path with a comma: ${path}`);
}

/** @throws NancyError bad-file if the CLI would mount something else. With a drive's letter the CLI itself refuses. */
function mountable(path: string): string {
	if (!/(?<!^[a-z]):/i.test(path)) return path;
	throw new NancyError(
		'bad-file',
		phrase`Gemini CLI takes no policies into a container from a path with a colon: ${path}`,
	);
}

/** Tools that the user allows by name on the command line, in full or with certain arguments: `run_shell_command(npm test)`. */
function allowedBy(extra: readonly string[]): Set<string> {
	const lists = extra.flatMap((word, index) => {
		const [, value] = /^--allowed-?tools(?:=(.*))?$/is.exec(word) ?? [undefined, ''];
		return [value ?? extra[index + 1] ?? ''];
	});
	const names = lists.flatMap(list => list.split(',')).map(tool => tool.trim().replace(/\(.*/s, ''));
	return new Set(names.map(name => ALIASES[name] ?? name));
}

/** @throws NancyError bad-usage where a request may not say all that a Yes allows */
function refuseSandbox(extra: readonly string[], place: StartPlace): void {
	if (!maySandbox(extra, place)) return;
	throw new NancyError(
		'bad-usage',
		phrase`with the permissions "${ASK_ME}" Gemini CLI runs without a sandbox of its own: in one, its requests do not say all that a Yes allows; choose others, or take "sandbox" out of its settings`,
	);
}

/** The CLI reads the files of its folder that a prompt mentions as `@path`, except for an escaped `\@` (measured with 0.61.0). */
const MENTION = /(?<!\\)@/g;

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'default',
			label: phrase`Read only`,
			detail: phrase`Reads; edits, commands and tools of MCP servers are not offered to it, whatever your settings and policies allow.`,
			width: 0,
		},
		{
			id: EDIT,
			label: phrase`Edit`,
			detail: phrase`Edits files and reads the web; it is offered no commands and no tools of MCP servers, whatever your settings and policies allow.`,
			width: 1,
		},
		{
			id: ASK_ME,
			label: phrase`Ask me`,
			detail: phrase`Reads, also by commands that Gemini CLI takes for harmless, such as cat; edits and other commands wait for your answer, whatever your settings allow, and are denied if its time ends first. Anything else that it asks for can only be denied; it is offered no tools of MCP servers.`,
			width: 2,
			asks: true,
			tells: [],
		},
		{
			id: EVERYTHING,
			label: phrase`Everything`,
			detail: phrase`Everything, without asking. For sandboxes.`,
			width: 3,
		},
	],
	settingsFrom: 'none',
	homeFolders: 'none',
	beside: '“Read only” and “Edit” take policies of your own and your system’s settings, none of the folder’s, and none of yours lets commands through; policies in the system’s own folder, hooks, and tools that the folder you trust has discovered, run as ever.',
	// Trust and hooks belong to the folder, and a worktree is a new folder each time.
	launch: ({ session, resume, model, permissions, extra, prompt, ...place }) => {
		const { env } = place;
		refuseUnheld(permissions, place.hooks);
		const held = permissions === EVERYTHING ? { args: [], env: {}, files: [] } : heldBy(permissions, env, extra);
		if (permissions !== EVERYTHING) refuseLoosening(extra, LOOSENING, EVERYTHING);
		if (permissions === ASK_ME) {
			refuseSandbox(extra, place);
			const talk = askingTalk([...modelFlags(model), ...held.args, ...extra], prompt);
			return { ...talk, files: held.files };
		}
		return {
			args: [
				resume === undefined ? `--session-id=${session}` : `--resume=${resume}`,
				...modelFlags(model),
				'--output-format=stream-json',
				`--approval-mode=${permissions}`,
				...held.args,
				...extra,
			],
			// The piped input is the prompt, and the run ends with it.
			stdin: prompt.replaceAll(MENTION, '\\@'),
			env: held.env,
			files: held.files,
			sessionIsKnown: true,
		};
	},
	reader: permissions => (permissions === ASK_ME ? talkReader : new StreamReader()),
};
