import * as z from 'zod/mini';
import { ASKS_PERMISSION } from '../../core/driver/acp.ts';
import type { AskedRequest, Asking } from '../../core/driver/asking.ts';
import type { HookCall } from '../../core/driver/hooks.ts';
import { SessionId } from '../../protocol/names.ts';
import { answerByKind } from '../askedCall.ts';
import { askedOnScreen, type ToolOnScreen } from '../askedOnScreen.ts';
import { includedFolders } from '../includedFolders.ts';
import { inputBody } from '../inputBody.ts';
import { inputSummary, isObject, oneLine, textIn } from '../summary.ts';
import { hookSwitch } from './hookSwitch.ts';

/**
 * What Nancy's conversation with the CLI has the guard hold. The question stands in the conversation's terminal meanwhile, and the first answer
 * counts. Seen with 0.24.4: after a No the turn ends, and no words reach the model.
 */
export const asking: Asking = {
	read,
	answer: answerByKind,
	addedFolders: (call, workspaceFolder, args) => includedFolders(hookSwitch, call, workspaceFolder, args),
	isReportedApart: true,
	hidesSubagents: false,
};

/** Its tools that ask the user something of their own: what the terminal shows is all that an answer can mean. */
const ASKS_ITSELF = ['ask_user_question', 'exit_plan_mode'];

/** Other options of its kind also change the mode. */
const PLAIN_YES = 'proceed_once';

/** `session/request_permission`. */
const Request = z.looseObject({
	options: z.array(z.looseObject({ kind: z.string(), optionId: z.string() })),
	toolCall: z.looseObject({
		title: z.optional(z.nullable(z.string())),
		rawInput: z.optional(z.unknown()),
		_meta: z.optional(z.nullable(z.looseObject({ toolName: z.optional(z.string()) }))),
	}),
});

const Payload = z.looseObject({ session: SessionId, cwd: z.string(), request: Request });

/** In its own terminal: the words of its dialogs. */
const TOOLS: Readonly<Record<string, ToolOnScreen>> = {
	Shell: { tool: 'run_shell_command', bodyIs: 'command' },
	WriteFile: { tool: 'write_file', bodyIs: 'text' },
	Edit: { tool: 'edit', bodyIs: 'text' },
};

function read(call: HookCall): AskedRequest | 'none' {
	const { event, payload } = call;
	if (event !== ASKS_PERMISSION) return askedOnScreen(call, TOOLS);
	const { session, cwd, request } = Payload.parse(payload);
	const { title, rawInput, _meta } = request.toolCall;
	const tool = _meta?.toolName;
	if (tool === undefined || ASKS_ITSELF.includes(tool)) return 'none';
	// Without its input nobody sees what would be allowed.
	const isShown = isObject(rawInput) && Object.keys(rawInput).length > 0;
	const plain = request.options.find(({ kind }) => kind === 'allow_once');
	const mayAllow = isShown && plain?.optionId === PLAIN_YES;
	return {
		session,
		cwd,
		kind: 'tool',
		tool,
		title: inputSummary(rawInput) ?? oneLine(title ?? undefined) ?? tool,
		...inputBody(rawInput),
		files: [textIn(rawInput, 'file_path') ?? textIn(rawInput, 'path')].filter(file => file !== undefined),
		fields: [],
		choices: [...(mayAllow ? [{ effect: 'once' as const }] : []), { effect: 'end', isMute: true }],
		input: rawInput,
	};
}
