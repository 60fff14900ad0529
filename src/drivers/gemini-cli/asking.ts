import * as z from 'zod/mini';
import { ASKS_PERMISSION } from '../../core/driver/acp.ts';
import type { AskedRequest, Asking } from '../../core/driver/asking.ts';
import type { HookCall } from '../../core/driver/hooks.ts';
import type { Question } from '../../protocol/question.ts';
import { SessionId } from '../../protocol/names.ts';
import { answerByKind, CallContent, diffOf } from '../askedCall.ts';
import { askedOnScreen, type ToolOnScreen } from '../askedOnScreen.ts';
import { includedFolders } from '../includedFolders.ts';
import { oneLine } from '../summary.ts';
import { SHELL, toolOf } from './acp.ts';
import { hookSwitch } from './hookSwitch.ts';

/**
 * What Nancy's conversation with the CLI has the guard hold. The question stands in the conversation's terminal meanwhile, and the first answer
 * counts. Seen with 0.61.0: after a No the model goes on, and no words reach it.
 */
export const asking: Asking = {
	read,
	answer: answerByKind,
	addedFolders: (call, workspaceFolder, args) => includedFolders(hookSwitch, call, workspaceFolder, args),
	isReportedApart: true,
	hidesSubagents: false,
};

/** Another one also adds a rule. */
const PLAIN_YES = 'proceed_once';

/** `session/request_permission`. */
const Request = z.looseObject({
	options: z.array(z.looseObject({ kind: z.string(), optionId: z.string() })),
	toolCall: z.looseObject({
		toolCallId: z.string(),
		title: z.optional(z.nullable(z.string())),
		content: z.optional(z.nullable(z.array(CallContent))),
		locations: z.optional(z.nullable(z.array(z.looseObject({ path: z.string() })))),
	}),
});
type ToolCall = z.infer<typeof Request>['toolCall'];

const Payload = z.looseObject({ session: SessionId, cwd: z.string(), request: Request });

/** In its own terminal: the words of its dialogs. */
const TOOLS: Readonly<Record<string, ToolOnScreen>> = {
	Shell: { tool: SHELL, bodyIs: 'command' },
	WriteFile: { tool: 'write_file', bodyIs: 'text' },
	Edit: { tool: 'replace', bodyIs: 'text' },
};

function read(call: HookCall): AskedRequest | 'none' {
	const { event, payload } = call;
	if (event !== ASKS_PERMISSION) return askedOnScreen(call, TOOLS);
	const { session, cwd, request } = Payload.parse(payload);
	const { toolCall } = request;
	const tool = toolOf(toolCall);
	if (tool === undefined) return 'none';
	const shown = shownOf(tool, toolCall);
	// The first of its kind is the one that a Yes chooses.
	const hasPlainYes = request.options.find(({ kind }) => kind === 'allow_once')?.optionId === PLAIN_YES;
	return {
		session,
		cwd,
		kind: 'tool',
		tool,
		title: oneLine(toolCall.title ?? undefined) ?? tool,
		...shown,
		also: textsOf(toolCall).map(value => ({ name: 'explanation', value })),
		files: filesOf(toolCall),
		fields: [],
		choices: [
			...(hasPlainYes && shown.bodyIs !== 'text' ? [{ effect: 'once' as const }] : []),
			{ effect: 'no', isMute: true },
		],
		input: toolCall,
	};
}

/**
 * A command is the whole title, and an edit comes with both texts (0.61.0, its source). For other tools the CLI sends a description that
 * may leave something out: nobody would see what a Yes allows.
 */
function shownOf(tool: string, { title, content }: ToolCall): Pick<Question, 'body' | 'bodyIs'> {
	if (tool === SHELL && title) return { body: title, bodyIs: 'command' };
	const edits = (content ?? []).filter(({ type }) => type === 'diff');
	const [edit] = edits;
	if (edit?.newText !== undefined && edits.length === 1)
		return { body: diffOf(edit.oldText ?? '', edit.newText), bodyIs: 'diff' };
	return { body: title ?? '', bodyIs: 'text' };
}

function textsOf({ content }: ToolCall): string[] {
	return (content ?? []).flatMap(({ type, content: said }) => (type === 'content' ? (said?.text ?? []) : []));
}

function filesOf({ content, locations }: ToolCall): string[] {
	const named = [...(content ?? []).flatMap(({ path }) => path ?? []), ...(locations ?? []).map(({ path }) => path)];
	return [...new Set(named)];
}
