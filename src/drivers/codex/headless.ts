import { phrase } from '../../base/phrase.ts';
import type { HeadlessEvent, HeadlessFormat, HeadlessReader, HeadlessResult } from '../../core/driver/headless.ts';
import { refuseLoosening } from '../loosening.ts';
import { knownLine } from '../stream.ts';
import { failureOf, isUsedUp, resetOf } from './failures.ts';
import { launchFlags } from './launch.ts';
import { Line, type Item } from './stream.ts';

const EVERYTHING = 'danger-full-access';

const LOOSENING =
	/^(?:--(?:sandbox|ask-for-approval|approve-for-me|full-auto|yolo|dangerously-[a-z-]*|cd|worktree|trust)(?:=|$)|-[asC]|(?:-c|--config)=?\s*["']?(?:sandbox_(?:mode|permissions)|(?:default_)?permissions|approvals?|projects)(?![a-z]))/;

/** Holds commands to the sandbox, whatever the settings of the user or of a trusted project say. */
const HELD = [
	// A rule that allows a command runs that command outside the sandbox.
	'--ignore-rules',
	'-c',
	'sandbox_workspace_write.writable_roots=[]',
	'-c',
	'sandbox_workspace_write.network_access=false',
];

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'read-only',
			label: phrase`Read only`,
			detail: phrase`Reads, and runs commands in a sandbox where nothing can be changed. MCP servers run outside of it.`,
			width: 0,
		},
		{
			id: 'workspace-write',
			label: phrase`Edit`,
			detail: phrase`Changes files in its folder and runs commands in a sandbox that keeps them to it and to temporary files, without network. MCP servers run outside of it.`,
			width: 1,
		},
		{
			id: EVERYTHING,
			label: phrase`Everything`,
			detail: phrase`Everything, without asking and without a sandbox. For sandboxes.`,
			width: 2,
		},
	],
	settingsFrom: 'none',
	homeFolders: 'none',
	beside: '“Read only” and “Edit” pass by your command rules (.rules), the forbidding ones too; tools of MCP servers, and hooks that you trust, run outside the sandbox.',
	launch: ({ workspaceFolder, hooks, resume, model, permissions, extra, prompt }) => {
		const isHeld = permissions !== EVERYTHING;
		if (isHeld) refuseLoosening(withValues(extra), LOOSENING, EVERYTHING);
		return {
			args: [
				'exec',
				'--json',
				// The CLI otherwise refuses to work outside git. The permission mode limits its changes.
				'--skip-git-repo-check',
				...(model === undefined ? [] : ['--model', model]),
				// `--sandbox` is not known to `exec resume`.
				'-c',
				`sandbox_mode="${permissions}"`,
				...(isHeld ? HELD : []),
				...launchFlags(hooks, workspaceFolder),
				...extra,
				...(resume === undefined ? [] : ['resume', resume]),
				'-',
			],
			stdin: prompt,
			env: {},
			// The CLI picks its own id, and names it in its first line.
			sessionIsKnown: resume !== undefined,
		};
	},
	reader: () => new Reader(),
};

/** `-c` and its value as one word. */
function withValues(extra: readonly string[]): string[] {
	return extra.map((word, index) =>
		word === '-c' || word === '--config' ? `${word}=${extra[index + 1] ?? ''}` : word,
	);
}

/** The lines of one run. The CLI prints no result: the result is the agent's last text once its turn is over. */
class Reader implements HeadlessReader {
	private lastWords = '';
	private readonly begun = new Set<string>();

	read(text: string): readonly HeadlessEvent[] {
		const line = knownLine(Line, text);
		return line === undefined ? [] : this.eventsOf(line);
	}

	/** A run that was broken off, or never began, has no answer. Standard error says why. */
	end(): readonly HeadlessEvent[] {
		return [];
	}

	private eventsOf(line: Line): readonly HeadlessEvent[] {
		switch (line.type) {
			case 'thread.started':
				return [{ is: 'session', session: line.thread_id }];
			case 'item.started':
				return this.begins(line.item);
			case 'item.completed':
				return [...this.begins(line.item), ...this.ends(line.item)];
			case 'error':
				return line.message.startsWith('Reconnecting')
					? [{ is: 'retrying', reason: line.message, afterMs: 0 }]
					: [];
			case 'turn.completed': {
				const { input_tokens: inputTokens, output_tokens: outputTokens } = line.usage;
				return [resultOf({ text: this.lastWords, inputTokens, outputTokens })];
			}
			case 'turn.failed': {
				const text = line.error.message;
				const result = resultOf({
					text,
					inputTokens: undefined,
					outputTokens: undefined,
					failure: failureOf(text),
				});
				return isUsedUp(text) ? [{ is: 'quota', resetsAtMs: resetOf(text, Date.now()) }, result] : [result];
			}
		}
	}

	/** Some items are reported only once they are over. */
	private begins(item: Item): readonly HeadlessEvent[] {
		if (this.begun.has(item.id)) return [];
		this.begun.add(item.id);
		switch (item.type) {
			case 'command_execution':
				return [{ is: 'tool', tool: 'Bash', summary: plainCommand(item.command) }];
			case 'file_change': {
				const paths = item.changes.map(change => change.path);
				return [{ is: 'tool', tool: 'apply_patch', file: paths[0], summary: paths.join(', ') }];
			}
			case 'mcp_tool_call':
				return [{ is: 'tool', tool: `mcp__${item.server}__${item.tool}` }];
			case 'collab_tool_call':
				return [{ is: 'tool', tool: item.tool, summary: item.prompt ?? undefined }];
			case 'web_search':
				return [{ is: 'tool', tool: 'web_search', summary: item.query }];
			case 'agent_message':
				return [];
		}
	}

	private ends(item: Item): readonly HeadlessEvent[] {
		switch (item.type) {
			case 'agent_message':
				this.lastWords = item.text;
				return item.text === '' ? [] : [{ is: 'text', text: item.text }];
			case 'command_execution': {
				const { status, aggregated_output: output, exit_code: code } = item;
				if (status === 'declined') return [{ is: 'denied', tool: 'Bash', reason: plainCommand(item.command) }];
				const reason = output.trim() || `exit code ${code ?? 'unknown'}`;
				return status === 'failed' ? [{ is: 'tool-failed', reason }] : [];
			}
			case 'file_change':
				return item.status === 'failed' ? [{ is: 'tool-failed', reason: 'a patch that did not apply' }] : [];
			case 'mcp_tool_call':
				return item.status === 'failed'
					? [{ is: 'tool-failed', reason: item.error?.message ?? item.tool }]
					: [];
			case 'collab_tool_call':
			case 'web_search':
				return [];
		}
	}
}

function resultOf(result: Omit<HeadlessResult, 'costUsd'>): HeadlessEvent {
	return { is: 'result', result: { ...result, costUsd: undefined } };
}

/** The command inside the CLI's shell call. */
function plainCommand(command: string): string {
	const inner = /^\S*sh -l?c (['"])([^]*)\1$/.exec(command)?.[2];
	return inner ?? command;
}
