import * as z from 'zod/mini';
import { ASKS_PERMISSION } from '../../core/driver/acp.ts';
import type { AskedRequest } from '../../core/driver/asking.ts';
import type { Decision, StdioAgent, StdioLine, StdioQuestion } from '../../core/driver/stdio.ts';
import { knownLine } from '../stream.ts';
import { textIn } from '../summary.ts';
import { asking, decisionOf } from './asking.ts';
import { ANSWERED } from './ownEvents.ts';
import { changesIn, talkReader, type CanUseTool } from './talkLines.ts';

const BEGIN = 'begin';

export const stdio: StdioAgent = {
	// What follows `--` is the prompt, which the protocol brings.
	read: words => {
		const end = words.indexOf('--');
		if (end < 0) return { args: words, prompt: undefined, resume: undefined };
		return { args: words.slice(0, end), prompt: words.slice(end + 1).join(' '), resume: undefined };
	},
	noYes: [],
	toolOf: ({ _meta }) => textIn(_meta, 'toolName'),
	begin: () => request(BEGIN, { subtype: 'initialize' }),
	prompt: (text, uuid) => line({ type: 'user', message: { role: 'user', content: text }, uuid }),
	interrupt: () => request('interrupt', { subtype: 'interrupt' }),
	reader: () => talkReader(BEGIN, questionOf),
	decisionOf: ({ payload }, reply) => decisionIn(decisionOf(Payload.parse(payload), reply)) ?? NO,
	decisionIn: printed => {
		const output = knownLine(Printed, printed);
		return output && decisionIn(output.hookSpecificOutput.decision);
	},
	reply: ({ id, input }, { isYes, said }) =>
		line({
			type: 'control_response',
			response: {
				subtype: 'success',
				request_id: id,
				response: isYes ? { updatedInput: input, ...said } : said,
			},
		}),
	refusal: id =>
		line({
			type: 'control_response',
			response: { subtype: 'error', request_id: id, error: 'Nancy does not know this request.' },
		}),
	answered: ({ session, toolCall }, cause) => ({
		event: ANSWERED,
		payload: { session_id: session, hook_event_name: ANSWERED, tool_use_id: toolCall.toolCallId, cause },
	}),
};

const Payload = z.looseObject({
	tool_name: z.string(),
	tool_input: z.unknown(),
	permission_suggestions: z.optional(z.array(z.unknown())),
});
const Printed = z.object({ hookSpecificOutput: z.object({ decision: z.looseObject({}) }) });
const Said = z.looseObject({ behavior: z.enum(['allow', 'deny']), interrupt: z.optional(z.boolean()) });

const NO: Decision = { isYes: false, isEnd: false, said: { behavior: 'deny', message: 'The user said no.' } };

function decisionIn(decision: unknown): Decision | undefined {
	const { data } = Said.safeParse(decision);
	return data && { isYes: data.behavior === 'allow', isEnd: data.interrupt === true, said: data };
}

function questionOf(id: string, session: string, asked: CanUseTool): StdioLine {
	const { tool_name, input, tool_use_id, permission_suggestions, agent_id } = asked;
	const payload = {
		session_id: session,
		cwd: process.cwd(),
		hook_event_name: 'PermissionRequest',
		tool_name,
		tool_input: input,
		tool_use_id,
		permission_suggestions,
		agent_id,
	};
	const { choices, fields, kind, body } = requestIn(payload) ?? UNREADABLE;
	const shown: Pick<StdioQuestion['toolCall'], 'title' | 'rawInput' | 'content'> =
		kind === 'plan'
			? { title: 'Its plan:', content: [{ type: 'content', content: { type: 'text', text: body } }] }
			: { rawInput: input, content: changesIn(input) };
	const toolCall = { toolCallId: tool_use_id, _meta: { toolName: tool_name }, ...shown };
	const isBeside = agent_id !== undefined;
	return { is: 'asked', question: { id, session, toolCall, choices, fields, input, payload, isBeside } };
}

/** The request of a question to the user whose fields are none that Nancy knows. The desk shows none either. */
const UNREADABLE = {
	choices: [{ effect: 'no' }, { effect: 'end' }],
	fields: [],
	kind: 'tool',
	body: '',
} satisfies Partial<AskedRequest>;

function requestIn(payload: object): AskedRequest | undefined {
	try {
		const request = asking.read({ event: ASKS_PERMISSION, payload, env: {} });
		return request === 'none' ? undefined : request;
	} catch {
		return undefined;
	}
}

function request(id: string, asked: object): string {
	return line({ type: 'control_request', request_id: id, request: asked });
}

function line(value: object): string {
	return `${JSON.stringify(value)}\n`;
}
