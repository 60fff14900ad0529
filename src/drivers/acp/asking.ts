import * as z from 'zod/mini';
import { ASKS_PERMISSION } from '../../core/driver/acp.ts';
import type { AskedRequest, Asking } from '../../core/driver/asking.ts';
import type { HookCall } from '../../core/driver/hooks.ts';
import type { Question } from '../../protocol/question.ts';
import { SessionId } from '../../protocol/names.ts';
import { answerByKind, CallContent, diffOf } from '../askedCall.ts';
import { inputBody } from '../inputBody.ts';
import { inputSummary, isObject, oneLine, textIn } from '../summary.ts';
import { toolOf } from './acp.ts';

/**
 * What Nancy's conversation with the agent has the guard hold. The question stands in the conversation's terminal meanwhile, and the first answer
 * counts.
 */
export const asking: Asking = {
	read,
	answer: answerByKind,
	addedFolders: async () => [],
	isReportedApart: true,
	hidesSubagents: false,
};

/** `session/request_permission`. */
const Request = z.looseObject({
	options: z.array(z.looseObject({ kind: z.string() })),
	toolCall: z.looseObject({
		kind: z.optional(z.nullable(z.string())),
		title: z.optional(z.nullable(z.string())),
		rawInput: z.optional(z.unknown()),
		content: z.optional(z.nullable(z.array(CallContent))),
		locations: z.optional(z.nullable(z.array(z.looseObject({ path: z.string() })))),
	}),
});
type ToolCall = z.infer<typeof Request>['toolCall'];

const Payload = z.looseObject({ session: SessionId, cwd: z.string(), request: Request });

function read({ event, payload }: HookCall): AskedRequest | 'none' {
	if (event !== ASKS_PERMISSION) return 'none';
	const { session, cwd, request } = Payload.parse(payload);
	const { toolCall, options } = request;
	const tool = toolOf(toolCall);
	const hasInput = isObject(toolCall.rawInput) && Object.keys(toolCall.rawInput).length > 0;
	// Without either, nobody at the desk sees what would be allowed: its title is the agent's to choose.
	const isShown = hasInput || changesIn(toolCall).length > 0;
	// If there are several Yes of the kind, nobody says which one is the plain one.
	const mayAllow = isShown && options.filter(({ kind }) => kind === 'allow_once').length === 1;
	return {
		session,
		cwd,
		kind: 'tool',
		tool,
		title: inputSummary(toolCall.rawInput) ?? oneLine(toolCall.title ?? undefined) ?? tool,
		...bodyOf(toolCall, hasInput),
		files: filesOf(toolCall),
		fields: [],
		choices: [...(mayAllow ? [{ effect: 'once' as const }] : []), { effect: 'no', isMute: true }],
		input: hasInput ? toolCall.rawInput : toolCall,
	};
}

/** The input where the agent names one, and beside it all else that it says; otherwise what would change. */
function bodyOf(toolCall: ToolCall, hasInput: boolean): Pick<Question, 'body' | 'bodyIs' | 'also'> {
	const { title, rawInput } = toolCall;
	const changes = changesIn(toolCall);
	const said = [...(title ? [{ name: 'title', value: title }] : []), ...textsIn(toolCall)];
	if (hasInput) {
		const { also, ...body } = inputBody(rawInput);
		return { ...body, also: [...(also ?? []), ...said, ...changes] };
	}
	const [first, ...others] = changes;
	if (first && others.length === 0) return { body: first.value, bodyIs: 'diff', also: [...said, ...others] };
	return { body: title ?? '', bodyIs: 'text', also: [...said, ...changes] };
}

function changesIn({ content }: ToolCall): { name: string; value: string }[] {
	return (content ?? []).flatMap(({ type, path, oldText, newText }) =>
		type === 'diff' && newText !== undefined
			? [{ name: path ?? 'change', value: diffOf(oldText ?? '', newText) }]
			: [],
	);
}

function textsIn({ content }: ToolCall): { name: string; value: string }[] {
	return (content ?? []).flatMap(({ type, content: said }) =>
		type === 'content' && said?.text !== undefined ? [{ name: 'explanation', value: said.text }] : [],
	);
}

function filesOf({ rawInput, content, locations }: ToolCall): string[] {
	const inInput = textIn(rawInput, 'file_path');
	const named = [
		...(inInput === undefined ? [] : [inInput]),
		...(content ?? []).flatMap(({ path }) => path ?? []),
		...(locations ?? []).map(({ path }) => path),
	];
	return [...new Set(named)];
}
