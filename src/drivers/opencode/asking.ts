import * as z from 'zod/mini';
import type { AskedRequest, Asking } from '../../core/driver/asking.ts';
import type { HookAnswer, HookCall } from '../../core/driver/hooks.ts';
import type { Answer, Choice, Field, Question } from '../../protocol/question.ts';
import { SessionId } from '../../protocol/names.ts';
import { printed } from '../answers.ts';
import { isObject, oneLine, textIn, withoutUndefined } from '../summary.ts';

/**
 * What the plugin (pluginQuestions.ts) has the guard hold. The CLI's own prompt is open meanwhile, and the first answer counts. Seen with 1.18.33: a
 * `reject` without a message ends the turn, with a message the turn goes on. `always` holds until the CLI is restarted.
 */
export const asking: Asking = {
	read,
	answer,
	addedFolders: async () => [],
	isReportedApart: true,
	hidesSubagents: false,
};

const Common = {
	sessionID: SessionId,
	directory: z.optional(z.string()),
	subagent: z.optional(z.string()),
	/** The subagent's name. */
	agent: z.optional(z.string()),
	/** The input of the call that asks, if the plugin is sure which call that is. */
	args: z.optional(z.unknown()),
};

const call = z.optional(z.looseObject({ callID: z.optional(z.string()) }));

const Permission = z.looseObject({
	...Common,
	request: z.looseObject({
		permission: z.string(),
		patterns: z._default(z.array(z.string()), []),
		metadata: z._default(z.record(z.string(), z.unknown()), {}),
		always: z._default(z.array(z.string()), []),
		tool: call,
	}),
});
type Permission = z.infer<typeof Permission>;

const AskedUser = z.looseObject({
	...Common,
	request: z.looseObject({
		questions: z.array(
			z.looseObject({
				question: z.string(),
				header: z.optional(z.string()),
				options: z._default(
					z.array(z.looseObject({ label: z.string(), description: z.optional(z.string()) })),
					[],
				),
				multiple: z._default(z.boolean(), false),
			}),
		),
		tool: call,
	}),
});
type AskedUser = z.infer<typeof AskedUser>;

/** Only the No with which the model goes on has room for words. */
const NO: readonly Choice[] = [{ effect: 'no' }, { effect: 'end', isMute: true }];

/** Parts of an edit's input that its diff shows. */
const SHOWN_BY_DIFF = new Set(['diff', 'content', 'oldString', 'newString', 'patchText']);

function read({ event, payload }: HookCall): AskedRequest | 'none' {
	switch (event) {
		case 'ask-permission':
			return permissionOf(Permission.parse(payload));
		case 'ask-question':
			return questionOf(AskedUser.parse(payload));
		default:
			return 'none';
	}
}

function permissionOf(asked: Permission): AskedRequest {
	const { permission, patterns, metadata, always, tool } = asked.request;
	const parts = partsOf(asked.args, metadata);
	// Without its parts nobody sees what would be allowed. The CLI's own parts are not all: a command's lack its `workdir`.
	const isShown = asked.args !== undefined || (tool === undefined && Object.keys(metadata).length > 0);
	return {
		...aboutOf(asked),
		kind: 'tool',
		tool: permission,
		title:
			oneLine(textIn(metadata, 'command') ?? textIn(metadata, 'filepath') ?? patterns.join(', ')) ?? permission,
		...bodyOf(parts, patterns, permission === 'edit' ? (textIn(metadata, 'diff') ?? diffOf(parts)) : undefined),
		files: filesOf(parts),
		fields: [],
		choices: [...(isShown ? yesOf(permission, always) : []), ...NO],
		input: { request: asked.request, args: asked.args },
	};
}

/** The CLI joins the names of a patch's files by commas. Another tool's input may look like a patch. */
function filesOf(parts: Readonly<Record<string, unknown>>): string[] {
	const headers = (textIn(parts, 'patchText') ?? '').matchAll(
		/^\*\*\* (?:(?:Add|Update|Delete) File|Move to):(.+)$/gm,
	);
	const named = [...headers].flatMap(([, name = '']) => name.trim() || []);
	const file = textIn(parts, 'filepath') ?? textIn(parts, 'filePath');
	const isNamed = file === undefined || file.split(', ').every(each => named.includes(each));
	return isNamed ? named : [...named, file];
}

function yesOf(permission: string, always: readonly string[]): Choice[] {
	const rule = always.map(pattern => `${permission} ${pattern}`).join('; ');
	return [
		{ effect: 'once' },
		...(rule === '' ? [] : [{ effect: 'session' as const, rule, keptIn: 'opencode, until it is restarted' }]),
	];
}

/** What the CLI says of the request, and the rest of the tool's input: no input hides behind a part of the same name. */
function partsOf(args: unknown, metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const input = Object.entries(isObject(args) ? args : {}).filter(([name, value]) => metadata[name] !== value);
	return {
		...metadata,
		...Object.fromEntries(
			input.map(([name, value]) => [Object.hasOwn(metadata, name) ? `input.${name}` : name, value]),
		),
	};
}

/** A diff for an edit that waits before the CLI has made its own. */
function diffOf(input: unknown): string | undefined {
	const [content, before, after] = ['content', 'oldString', 'newString'].map(name => textIn(input, name));
	if (content !== undefined && before === undefined && after === undefined) return signed('+', content);
	if (content !== undefined || before === undefined || after === undefined) return undefined;
	return [signed('-', before), signed('+', after)].join('\n');
}

function signed(sign: string, text: string): string {
	return text
		.split('\n')
		.map(line => sign + line)
		.join('\n');
}

/** @param diff of an edit, as the CLI made it */
function bodyOf(
	parts: Readonly<Record<string, unknown>>,
	patterns: readonly string[],
	diff: string | undefined,
): Pick<Question, 'body' | 'bodyIs' | 'also'> {
	const alsoBut = (isShown: (name: string) => boolean) => [
		...(patterns.length === 0 ? [] : [{ name: 'patterns', value: patterns.join('\n') }]),
		...Object.entries(parts)
			.filter(([name]) => !isShown(name))
			.map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) })),
	];
	const { command } = parts;
	if (diff !== undefined) return { body: diff, bodyIs: 'diff', also: alsoBut(name => SHOWN_BY_DIFF.has(name)) };
	if (typeof command === 'string')
		return { body: command, bodyIs: 'command', also: alsoBut(name => name === 'command') };
	return { body: JSON.stringify(parts, null, 2), bodyIs: 'json', also: alsoBut(() => true) };
}

function questionOf(asked: AskedUser): AskedRequest {
	const fields = asked.request.questions.map(({ question, header, options, multiple }): Field => ({
		question,
		...(header !== undefined && { header }),
		options: options.map(({ label, description }) => ({
			label,
			...(description !== undefined && { description }),
		})),
		isMultiple: multiple,
	}));
	return {
		...aboutOf(asked),
		kind: 'choice',
		tool: 'question',
		title: oneLine(fields[0]?.question) ?? 'question',
		body: fields.map(field => field.question).join('\n'),
		bodyIs: 'text',
		also: [],
		files: [],
		fields,
		// The CLI's only No ends the turn, and takes no words.
		choices: [{ effect: 'once' }, { effect: 'end', isMute: true }],
		input: asked.request,
	};
}

function aboutOf({ sessionID, subagent, agent, directory, request }: Permission | AskedUser) {
	return {
		session: sessionID,
		...withoutUndefined({ subagent, subagentName: agent, cwd: directory, call: request.tool?.callID }),
	};
}

function answer({ event, payload }: HookCall, given: Answer): HookAnswer {
	if (event === 'ask-permission') return printed(replyOf(given));
	if (event !== 'ask-question') throw new Error(`${event} asks nothing`);
	if (given.effect !== 'once') return printed({ reject: true });
	const { questions } = AskedUser.parse(payload).request;
	return printed({ answers: questions.map(({ question }) => given.values?.[question] ?? []) });
}

/** In the CLI's words. */
function replyOf({ effect, words }: Answer): object {
	switch (effect) {
		case 'once':
			return { reply: 'once' };
		case 'session':
			return { reply: 'always' };
		case 'no':
			return { reply: 'reject', message: words || 'The user said no.' };
		case 'end':
			return { reply: 'reject' };
		default:
			throw new Error(`opencode keeps no rule for ${effect}`);
	}
}
