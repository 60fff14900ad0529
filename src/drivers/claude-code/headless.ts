import * as z from 'zod/mini';
import { phrase } from '../../base/phrase.ts';
import type { HeadlessEvent, HeadlessFailure, HeadlessFormat } from '../../core/driver/headless.ts';
import { SessionId } from '../../protocol/names.ts';
import { ASK_ME, refuseUnheld } from '../askMe.ts';
import { refuseLoosening } from '../loosening.ts';
import { knownLine, using } from '../stream.ts';
import { homeFolders } from './homeFolders.ts';

/** Each line is an object; fields that Nancy does not read may be anything. docs/agents/claude-code.md has samples. */
const Line = z.lazy(() =>
	z.looseObject({
		type: z.string(),
		subtype: z.optional(z.string()),
		/** Set on a subagent's steps. */
		parent_tool_use_id: z.optional(z.nullable(z.string())),
	}),
);

const Init = z.lazy(() => z.looseObject({ session_id: SessionId, model: z.optional(z.string()) }));

const Block = z.lazy(() =>
	z.looseObject({
		type: z.string(),
		text: z.optional(z.string()),
		name: z.optional(z.string()),
		input: z.optional(z.unknown()),
		is_error: z.optional(z.boolean()),
		content: z.optional(z.unknown()),
	}),
);
const Message = z.lazy(() =>
	z.looseObject({
		message: z.looseObject({ content: z.union([z.string(), z.array(Block)]) }),
		/** Set on the CLI's own message about a failed request. 2.1.9 has no `is_api_error_message` beside it. */
		error: z.optional(z.string()),
	}),
);

const Denied = z.lazy(() =>
	z.looseObject({
		tool_name: z.string(),
		tool_use_id: z.optional(z.string()),
		message: z._default(z.string(), 'its permissions do not allow it'),
	}),
);
const Retry = z.lazy(() =>
	z.looseObject({ retry_delay_ms: z._default(z.number(), 0), error: z._default(z.string(), 'error') }),
);
const RateLimit = z.lazy(() =>
	z.looseObject({
		rate_limit_info: z.looseObject({
			status: z.optional(z.string()),
			/** Unix seconds. An invalid date gives no time. */
			resetsAt: z.catch(z.optional(z.number().check(z.nonnegative(), z.maximum(8_000_000_000))), undefined),
		}),
	}),
);

export const Result = z.lazy(() =>
	z.looseObject({
		subtype: z.string(),
		is_error: z.boolean(),
		result: z.optional(z.string()),
		errors: z.optional(z.array(z.string())),
		/** All denials of the run. 2.1.9 reports denials only here. */
		permission_denials: z.catch(z._default(z.array(Denied), []), []),
		/** This and the next are not in 2.1.9. */
		terminal_reason: z.optional(z.string()),
		api_error_status: z.optional(z.nullable(z.number())),
		total_cost_usd: z.optional(z.number()),
		modelUsage: z.optional(
			z.record(
				z.string(),
				z.looseObject({
					inputTokens: z._default(z.number(), 0),
					outputTokens: z._default(z.number(), 0),
					cacheReadInputTokens: z._default(z.number(), 0),
					cacheCreationInputTokens: z._default(z.number(), 0),
				}),
			),
		),
	}),
);

/** The field in which tools name their file. */
const FileInput = z.lazy(() =>
	z.looseObject({
		file_path: z.optional(z.string()),
		notebook_path: z.optional(z.string()),
		command: z.optional(z.string()),
		description: z.optional(z.string()),
		pattern: z.optional(z.string()),
		url: z.optional(z.string()),
		prompt: z.optional(z.string()),
	}),
);

/** Too many requests for now, or a used-up account. An earlier `rate_limit_event` tells which. */
const TOO_MANY = 429;
const FIRST_SERVER_ERROR = 500;

const EVERYTHING = 'bypassPermissions';

/** The last block of the prompt. The CLI looks for commands and mentions only in this one. */
const END_OF_PROMPT = 'This was the whole task.';

/** A plugin, or an agent of `--agents`, brings hooks, which can allow anything. An agent by name (`--agent`) does not change the mode. */
const LOOSENING =
	/^--(?:(?:allow-)?dangerously-skip-permissions|permission-mode|permission-prompt-tool|agents|plugin-(?:dir|url))(?:=|$)/i;

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'default',
			label: phrase`Read only`,
			detail: phrase`Reads; what it would have to ask for is denied and reported. Rules and hooks of yours, and of its folder, can allow more.`,
			width: 0,
		},
		{
			id: 'plan',
			label: phrase`Plan`,
			detail: phrase`Reads and plans, edits nothing; commands that rules of yours, or of a trusted folder, allow are run.`,
			width: 0,
		},
		{
			id: ASK_ME,
			label: phrase`Ask me`,
			detail: phrase`Reads; what it would have to ask for waits for your answer, and is denied if its time ends first. Rules and hooks of yours, and of its folder, can allow more.`,
			width: 0,
			asks: true,
		},
		{
			id: 'acceptEdits',
			label: phrase`Edit`,
			detail: phrase`Edits files in its folder, and in those that settings add; other commands need a rule or a hook that allows them.`,
			width: 1,
		},
		{ id: 'auto', label: phrase`Auto`, detail: phrase`A classifier decides about each action.`, width: 2 },
		{
			id: EVERYTHING,
			label: phrase`Everything`,
			detail: phrase`Everything, without asking. For sandboxes.`,
			width: 3,
		},
	],
	settingsFrom: file => ['--settings', file],
	homeFolders,
	beside: 'Without a terminal Claude Code runs the hooks of a folder whether you trust it or not, and takes rules and further folders from the settings of one that you trust: they can allow more than “Read only”, “Plan” and “Edit” say.',
	launch: ({ session, resume, model, permissions, maxCostUsd, extra, prompt, hooks }) => {
		refuseUnheld(permissions, hooks);
		if (permissions !== EVERYTHING) refuseLoosening(extra, LOOSENING, EVERYTHING);
		return {
			args: [
				'-p',
				'--input-format',
				'stream-json',
				'--output-format',
				'stream-json',
				'--verbose',
				...(resume === undefined ? ['--session-id', session] : ['--resume', resume]),
				...(model === undefined ? [] : ['--model', model]),
				'--permission-mode',
				// What a hook lets wait is what the CLI would ask for.
				permissions === ASK_ME ? 'default' : permissions,
				// It tells the cost only at the end.
				...(maxCostUsd === undefined ? [] : ['--max-budget-usd', String(maxCostUsd)]),
				...extra,
			],
			stdin: messageOf(prompt),
			// The CLI's default of ten tries takes three minutes and hides the failure. Nancy retries itself.
			env: { CLAUDE_CODE_MAX_RETRIES: '2' },
			sessionIsKnown: true,
		};
	},
	reader: () => {
		// Each line is complete in itself, except the last, which repeats the denials.
		const denied = new Set<string>();
		return { read: text => read(text, denied), end: () => [] };
	},
};

/**
 * One message of the user's, as `--input-format stream-json` takes it. In the last block of text, and in a plain-text prompt, the CLI reads
 * every file mentioned as `@path`, whatever the permissions. It also obeys a slash command as the first word (measured with 2.1.329). The
 * prompt may be an agent's, so it is not the last block.
 */
export function messageOf(prompt: string, end = END_OF_PROMPT): string {
	const content = [
		{ type: 'text', text: prompt },
		{ type: 'text', text: end },
	];
	return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
}

function read(text: string, denied: Set<string>): readonly HeadlessEvent[] {
	const line = knownLine(Line, text);
	// A subagent's steps belong to the agent that started it.
	return line && !line.parent_tool_use_id ? readLine(line, denied) : [];
}

/** @param denied calls whose denial has been reported */
function readLine(line: z.infer<typeof Line>, denied: Set<string>): readonly HeadlessEvent[] {
	switch (line.subtype === undefined ? line.type : `${line.type}/${line.subtype}`) {
		case 'system/init':
			return using(Init, line, ({ session_id, model }) => [{ is: 'session', session: session_id, model }]);
		case 'system/permission_denied':
			return using(Denied, line, denial => deniedOnce(denial, denied));
		case 'system/api_retry':
			return using(Retry, line, ({ error, retry_delay_ms }) => [
				{ is: 'retrying', reason: error, afterMs: retry_delay_ms },
			]);
		case 'rate_limit_event':
			return using(RateLimit, line, ({ rate_limit_info: { status, resetsAt } }) =>
				status === 'rejected' ? [{ is: 'quota', resetsAtMs: resetsAt && resetsAt * 1000 }] : [],
			);
		case 'assistant':
		case 'user':
			return using(Message, line, message => eventsOf(line.type, message));
		default:
			if (line.type !== 'result') return [];
			return using(Result, line, result => [
				...result.permission_denials.flatMap(denial => deniedOnce(denial, denied)),
				resultOf(result),
			]);
	}
}

function deniedOnce({ tool_name, tool_use_id, message }: z.infer<typeof Denied>, denied: Set<string>): HeadlessEvent[] {
	if (tool_use_id !== undefined && denied.has(tool_use_id)) return [];
	if (tool_use_id !== undefined) denied.add(tool_use_id);
	return [{ is: 'denied', tool: tool_name, reason: message }];
}

function eventsOf(from: string, { message, error }: z.infer<typeof Message>): HeadlessEvent[] {
	// The CLI's message about a failed request comes again in the result.
	if (typeof message.content === 'string' || error !== undefined) return [];
	return message.content.flatMap((block): HeadlessEvent[] => {
		if (from === 'user') {
			return block.type === 'tool_result' && block.is_error
				? [{ is: 'tool-failed', reason: textOf(block.content) }]
				: [];
		}
		if (block.type === 'text' && block.text) return [{ is: 'text', text: block.text }];
		if (block.type !== 'tool_use' || block.name === undefined) return [];
		const input = FileInput.safeParse(block.input);
		const { file_path, notebook_path, ...others } = input.success ? input.data : {};
		const file = file_path ?? notebook_path;
		const summary = file ?? others.command ?? others.pattern ?? others.url ?? others.description ?? others.prompt;
		return [{ is: 'tool', tool: block.name, file, summary }];
	});
}

function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	const blocks = z.array(z.looseObject({ text: z.optional(z.string()) })).safeParse(content);
	return blocks.success ? blocks.data.map(block => block.text ?? '').join('\n') : '';
}

/** Only `is_error` tells success: an API error has the subtype `success`, and an interrupted run the exit code 0. */
export function resultOf(result: z.infer<typeof Result>): Extract<HeadlessEvent, { is: 'result' }> {
	const usage = result.modelUsage && Object.values(result.modelUsage);
	const sum = (pick: (each: NonNullable<typeof usage>[number]) => number) =>
		usage?.reduce((total, each) => total + pick(each), 0);
	const text = result.result ?? result.errors?.join('\n') ?? '';
	return {
		is: 'result',
		result: {
			text,
			inputTokens: sum(each => each.inputTokens + each.cacheReadInputTokens + each.cacheCreationInputTokens),
			outputTokens: sum(each => each.outputTokens),
			costUsd: result.total_cost_usd,
			failure: failureOf(result, text),
		},
	};
}

function failureOf(result: z.infer<typeof Result>, text: string): HeadlessFailure | undefined {
	const wasCutOff = result.terminal_reason?.startsWith('aborted') ?? false;
	if (!result.is_error && !wasCutOff && !result.subtype.startsWith('error')) return undefined;
	const reason = text || result.terminal_reason || result.subtype;
	// 2.1.9 reports this only in words.
	const said = result.terminal_reason === undefined ? /^API Error: (\d{3})?/.exec(text) : null;
	const status = result.api_error_status ?? (said?.[1] && Number(said[1]));
	if (status === TOO_MANY) return { reason, kind: 'too-many' };
	// No status means no answer at all: refused, cut off, timed out.
	const isTransient =
		(result.terminal_reason === 'api_error' || said !== null) && (!status || status >= FIRST_SERVER_ERROR);
	return { reason, kind: isTransient ? 'transient' : 'final' };
}
