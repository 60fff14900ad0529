import { phrase } from '../../base/phrase.ts';
import type { HeadlessFormat } from '../../core/driver/headless.ts';
import { ASK_ME, refuseUnheld } from '../askMe.ts';
import { askingTalk } from '../conversation.ts';
import { refuseLoosening } from '../loosening.ts';
import { talkReader } from '../toldTalk.ts';
import { conversationFlags, modelFlags } from './launch.ts';
import { StreamReader } from './stream.ts';

const EDIT = 'auto-edit';
const EVERYTHING = 'yolo';

/** The CLI accepts each name also in camel case, and several short options without values in one word. */
const LOOSENING = /^(?:--(?:yolo|approval-?mode|acp|worktree)(?:=|$)|-[dslhvc]*y)/i;

/** Tools that run commands, and the one that starts subagents: some of those are other CLIs, with permissions of their own. */
const COMMANDS = ['run_shell_command', 'monitor', 'agent'];
const EDITS = ['write_file', 'edit', 'notebook_edit'];

/**
 * Holds a careful mode, whatever the settings of the user and of the folder allow: a denial overrides each of their rules. Tools of MCP
 * servers have no listed names, so no server is taken.
 */
function heldBy(permissions: string): string[] {
	const denied = permissions === EDIT ? COMMANDS : [...COMMANDS, ...EDITS];
	return ['--allowed-mcp-server-names=none', ...denied.map(tool => `--exclude-tools=${tool}`)];
}

/** The CLI reads the files of its folder that a prompt mentions as `@path`, except for an escaped `\@` (measured with 0.24.4). */
const MENTION = /(?<!\\)@/g;

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'default',
			label: phrase`Read only`,
			detail: phrase`Reads; edits, commands, subagents and tools of MCP servers are not offered to it, whatever your settings allow.`,
			width: 0,
		},
		{
			id: EDIT,
			label: phrase`Edit`,
			detail: phrase`Edits files; commands, subagents and tools of MCP servers are not offered to it, whatever your settings allow.`,
			width: 1,
		},
		{
			id: ASK_ME,
			label: phrase`Ask me`,
			detail: phrase`Reads; what it would have to ask for waits for your answer, and is denied if its time ends first. Rules of yours, and of its folder, can allow more, commands too.`,
			width: 2,
			asks: true,
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
	beside: 'Unless you have switched folder trust on, Qwen Code takes the settings and skills of every folder: hooks in them run in every mode, and rules in them may allow pages of the web.',
	// Hooks belong to the folder, and a worktree is a new folder each time.
	launch: ({ permissions, extra, prompt, ...conversation }) => {
		refuseUnheld(permissions, conversation.hooks);
		if (permissions !== EVERYTHING) refuseLoosening(extra, LOOSENING, EVERYTHING);
		if (permissions === ASK_ME) return askingTalk([...modelFlags(conversation.model), ...extra], prompt);
		return {
			args: [
				...conversationFlags(conversation),
				'--output-format=stream-json',
				`--approval-mode=${permissions}`,
				...(permissions === EVERYTHING ? [] : heldBy(permissions)),
				...extra,
			],
			// The piped input is the prompt. A prompt that begins with a slash would be a command of the CLI.
			stdin: prompt.replaceAll(MENTION, '\\@').replace(/^\//, '\n/'),
			env: {},
			sessionIsKnown: true,
		};
	},
	reader: permissions => (permissions === ASK_ME ? talkReader : new StreamReader()),
};
