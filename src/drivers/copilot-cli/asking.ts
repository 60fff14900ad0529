import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { AskedRequest, Asking } from '../../core/driver/asking.ts';
import type { HookAnswer, HookCall } from '../../core/driver/hooks.ts';
import type { Answer, Choice, Question } from '../../protocol/question.ts';
import { SessionId } from '../../protocol/names.ts';
import { printed } from '../answers.ts';
import { inputSummary, isObject, oneLine, textIn, withoutUndefined } from '../summary.ts';
import { valuesOf } from '../valuesOf.ts';
import { formContent, readForm } from './form.ts';
import { ASKS, ASKS_USER } from './ownEvents.ts';

/**
 * What the extension (questions.ts) has the guard hold. The CLI's own prompt is open meanwhile, and the first answer counts. Seen with 1.0.102:
 * a `reject` without words ends the turn, with words the turn goes on.
 */
export const asking: Asking = { read, answer, addedFolders, isReportedApart: true, hidesSubagents: false };

/** Those of `--add-dir`; not those of `/add-dir`, which are in the CLI's memory alone. */
async function addedFolders(_: HookCall, workspaceFolder: string, args: readonly string[]): Promise<string[]> {
	return valuesOf('--add-dir', args).map(folder => resolve(workspaceFolder, folder));
}

const text = () => z.optional(z.string());
const content = () => z.optional(z.looseObject({ content: z.string() }));

/** What a person must know of a request beside its content, whatever its kind. */
const Common = {
	toolCallId: text(),
	/** An organization's policy wants a person's answer in the CLI itself. */
	managedApprovalRequired: z.optional(z.boolean()),
};

/** The kinds that Nancy can show whole. Any other stays in the terminal: so do the rights of extensions, which would let them answer too. */
const Request = z.discriminatedUnion('kind', [
	z.looseObject({
		...Common,
		kind: z.literal('shell'),
		fullCommandText: z.string(),
		commandSegments: z.optional(z.array(z.looseObject({ workingDirectory: text() }))),
	}),
	z.looseObject({
		...Common,
		kind: z.literal('write'),
		fileName: z.string(),
		diff: z.string(),
		/** Whole, before and after. */
		fileEdits: z.optional(z.array(z.looseObject({ before: content(), after: content() }))),
	}),
	z.looseObject({ ...Common, kind: z.literal('read'), path: z.string() }),
	z.looseObject({ ...Common, kind: z.literal('url'), url: z.string() }),
	z.looseObject({
		...Common,
		kind: z.literal('mcp'),
		serverName: z.string(),
		toolName: z.string(),
		args: z.optional(z.unknown()),
	}),
	z.looseObject({ ...Common, kind: z.literal('custom-tool'), toolName: z.string(), args: z.optional(z.unknown()) }),
]);
type Request = z.infer<typeof Request>;

/** What the CLI's own dialog is about, where that is not the request itself. */
const Prompt = z.looseObject({
	kind: z.string(),
	commandIdentifiers: z._default(z.array(z.string()), []),
	canOfferSessionApproval: z._default(z.boolean(), false),
	/** For the kind `path`: the paths outside of what the session may use. */
	paths: z._default(z.array(z.string()), []),
});
type Prompt = z.infer<typeof Prompt>;

const Payload = z.looseObject({
	sessionId: SessionId,
	agentId: text(),
	agentName: text(),
	cwd: text(),
	/** The call that asks, as the CLI announced it. A subagent's call may be announced after its question. */
	tool: text(),
	args: z.optional(z.unknown()),
	request: z.looseObject({ kind: z.string() }),
	prompt: Prompt,
});

/** Only the No with which the model goes on has room for words. */
const NO: readonly Choice[] = [{ effect: 'no' }, { effect: 'end', isMute: true }];

/** Parts of a call's input that the body may show already. */
const SHOWN = new Set(['command', 'path', 'file_text', 'old_str', 'new_str', 'input', 'url']);

function read({ event, payload }: HookCall): AskedRequest | 'none' {
	if (event === ASKS_USER) return readForm(payload);
	if (event !== ASKS) return 'none';
	const asked = Payload.parse(payload);
	const found = Request.safeParse(asked.request);
	if (!found.success || found.data.managedApprovalRequired === true) return 'none';
	const request = found.data;
	const { args, prompt } = asked;
	const tool = asked.tool ?? toolOf(request);
	const segment = request.kind === 'shell' ? request.commandSegments?.[0]?.workingDirectory : undefined;
	return {
		session: asked.sessionId,
		...withoutUndefined({
			subagent: asked.agentId,
			subagentName: asked.agentName,
			cwd: segment ?? asked.cwd,
			call: request.toolCallId,
		}),
		kind: 'tool',
		tool,
		title: titleOf(request) ?? tool,
		...bodyOf(request, args, prompt),
		files: filesOf(request, prompt),
		fields: [],
		choices: [...(isShown(request, args) ? yesTo(request, prompt) : []), ...NO],
		input: { request: asked.request, args: asked.args },
	};
}

/** From the request itself, and as the events of its call name it, so that they are recognised. */
function titleOf(request: Request): string | undefined {
	switch (request.kind) {
		case 'shell':
			return oneLine(request.fullCommandText);
		case 'write':
			return oneLine(request.fileName);
		case 'read':
			return oneLine(request.path);
		case 'url':
			return oneLine(request.url);
		case 'mcp':
		case 'custom-tool':
			return inputSummary(request.args) ?? oneLine(textIn(request.args, 'path') ?? request.toolName);
	}
}

/** By the CLI's usual names. */
function toolOf(request: Request): string {
	switch (request.kind) {
		case 'shell':
			return 'bash';
		case 'write':
			return 'edit';
		case 'read':
			return 'view';
		case 'url':
			return 'web_fetch';
		case 'mcp':
			return `${request.serverName}-${request.toolName}`;
		case 'custom-tool':
			return request.toolName;
	}
}

/** Whether a person sees what would be allowed. What a diff leaves out, the input of its call has. */
function isShown(request: Request, args: unknown): boolean {
	switch (request.kind) {
		case 'write':
			return args !== undefined || isWhole(request.diff, request.fileEdits);
		case 'mcp':
		case 'custom-tool':
			return request.args !== undefined;
		default:
			return true;
	}
}

/** Whether a diff has each line that comes or goes. */
function isWhole(diff: string, edits: Extract<Request, { kind: 'write' }>['fileEdits'] = []): boolean {
	const linesOf = (side: { content: string } | undefined) => new Set(side?.content.split('\n') ?? []);
	const shown = linesOf({ content: diff });
	const isShownIn = (sign: string, own: ReadonlySet<string>, other: ReadonlySet<string>) =>
		[...own].every(line => line === '' || other.has(line) || shown.has(sign + line));
	return (
		edits.length > 0 &&
		edits.every(({ before, after }) => {
			const [old, young] = [linesOf(before), linesOf(after)];
			return isShownIn('-', old, young) && isShownIn('+', young, old);
		})
	);
}

function bodyOf(request: Request, args: unknown, { paths }: Prompt): Pick<Question, 'body' | 'bodyIs' | 'also'> {
	const also = [
		...(paths.length === 0 ? [] : [{ name: 'outside the allowed folders', value: paths.join('\n') }]),
		...[...Object.entries(isObject(args) ? args : { input: args }), ...remarksIn(request)]
			.filter(([name, value]) => value !== undefined && !(SHOWN.has(name) && isIn(request, value)))
			.map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) })),
	];
	switch (request.kind) {
		case 'shell':
			return { body: request.fullCommandText, bodyIs: 'command', also };
		case 'write':
			return { body: request.diff, bodyIs: 'diff', also };
		default:
			// Everything that the CLI says of the request, whatever a newer CLI adds.
			return { body: bodyText(request), bodyIs: 'json', also };
	}
}

function bodyText(request: Request): string {
	switch (request.kind) {
		case 'shell':
			return request.fullCommandText;
		case 'write':
			return request.diff;
		default: {
			const { toolCallId: _, ...shown } = request;
			return JSON.stringify(shown, null, 2);
		}
	}
}

/** What the CLI remarks on a request whose body is its content alone: a warning, or that the command leaves the sandbox. */
function remarksIn(request: Request): [string, unknown][] {
	if (request.kind !== 'shell' && request.kind !== 'write') return [];
	return Object.entries(request).filter(([name]) => name === 'warning' || /sandbox/i.test(name));
}

/** Whether the body has a part of the call's input: the same value, or each of its lines where the body is a diff. */
function isIn(request: Request, value: unknown): boolean {
	if (request.kind === 'shell') return value === request.fullCommandText;
	if (request.kind !== 'write') return Object.values(request).includes(value);
	if (typeof value !== 'string') return false;
	if (value === request.fileName) return true;
	const shown = new Set(request.diff.split('\n').map(line => line.slice(1)));
	return value.split('\n').every(line => line === '' || shown.has(line));
}

function filesOf(request: Request, { paths }: Prompt): string[] {
	if (paths.length > 0) return paths;
	switch (request.kind) {
		case 'write':
			return [request.fileName];
		case 'read':
			return [request.path];
		default:
			return [];
	}
}

/** Once, and by the rule that the CLI can keep until its session ends, in the words of its own flags. */
function yesTo(request: Request, prompt: Prompt): Choice[] {
	const rule = ruleOf(request, prompt);
	const keptIn = 'Copilot CLI, until its session ends';
	return [{ effect: 'once' }, ...(rule ? [{ effect: 'session' as const, rule: rule.words, keptIn }] : [])];
}

interface Rule {
	words: string;
	/** In the CLI's protocol. */
	approval: Readonly<Record<string, unknown>>;
}

function ruleOf(request: Request, prompt: Prompt): Rule | undefined {
	const { commandIdentifiers, canOfferSessionApproval } = prompt;
	if (request.kind === 'mcp' && prompt.kind === 'mcp') {
		const { serverName, toolName } = request;
		return { words: `${serverName}(${toolName})`, approval: { kind: 'mcp', serverName, toolName } };
	}
	if (!canOfferSessionApproval) return undefined;
	if (request.kind === 'write' && prompt.kind === 'write') return { words: 'write', approval: { kind: 'write' } };
	if (request.kind !== 'shell' || prompt.kind !== 'commands' || commandIdentifiers.length === 0) return undefined;
	const words = commandIdentifiers.map(each => `shell(${each})`).join(', ');
	return { words, approval: { kind: 'commands', commandIdentifiers } };
}

/** In the CLI's words. */
function answer({ event, payload }: HookCall, given: Answer): HookAnswer {
	if (event === ASKS_USER) {
		const content = given.effect === 'once' ? formContent(payload, given) : undefined;
		return printed(content ? { action: 'accept', content } : { action: 'cancel' });
	}
	if (event !== ASKS) throw new Error(`${event} asks nothing`);
	return printed(decisionFor(payload, given));
}

function decisionFor(payload: unknown, { effect, words }: Answer): object {
	switch (effect) {
		case 'once':
			return { kind: 'approve-once' };
		case 'session': {
			const { request, prompt } = Payload.parse(payload);
			const rule = ruleOf(Request.parse(request), prompt);
			if (!rule) throw new Error('Copilot CLI offers no rule for this request');
			return { kind: 'approve-for-session', approval: rule.approval };
		}
		case 'no':
			return { kind: 'reject', feedback: words || 'The user said no.' };
		case 'end':
			return { kind: 'reject' };
		default:
			throw new Error(`Nancy keeps no rule of Copilot CLI for ${effect}`);
	}
}
