import * as z from 'zod/mini';
import { ASKS_PERMISSION } from '../../core/driver/acp.ts';
import type { AskedRequest, Asking } from '../../core/driver/asking.ts';
import type { HookAnswer, HookCall } from '../../core/driver/hooks.ts';
import { isYes } from '../../core/questions/reply.ts';
import type { Answer, Choice, Effect, Field, Reply } from '../../protocol/question.ts';
import { inputBody } from '../inputBody.ts';
import { inputSummary, isObject, oneLine, textIn } from '../summary.ts';
import { addedFolders } from './addedFolders.ts';
import { isForeign } from './events.ts';
import { parsePayload } from './payloads.ts';

/**
 * The CLI's `PermissionRequest` hook. Its own dialog is open meanwhile, but for a subagent's question, and the first answer counts. Seen with 2.1.329: a bare `allow`
 * leaves the dialog of a question to the user or of a plan open. So these get an `updatedInput` with what the CLI itself would put there.
 */
export const asking: Asking = { read, answer, addedFolders, isReportedApart: false, hidesSubagents: true };

/** The rules that the CLI suggests for its own "don't ask again". */
const Suggestion = z.discriminatedUnion('type', [
	z.looseObject({
		type: z.literal('addRules'),
		rules: z.array(z.looseObject({ toolName: z.string(), ruleContent: z.optional(z.string()) })),
		behavior: z.literal('allow'),
		destination: z.string(),
	}),
	z.looseObject({
		type: z.literal('addDirectories'),
		directories: z.array(z.string()),
		destination: z.string(),
	}),
	// Any other mode lets more through than what is asked about.
	z.looseObject({ type: z.literal('setMode'), mode: z.literal('acceptEdits'), destination: z.string() }),
]);
type Suggestion = z.infer<typeof Suggestion>;

const AskedUser = z.looseObject({
	questions: z.array(
		z.looseObject({
			question: z.string(),
			header: z.optional(z.string()),
			options: z._default(z.array(z.looseObject({ label: z.string(), description: z.optional(z.string()) })), []),
			multiSelect: z._default(z.boolean(), false),
		}),
	),
});

/** Where the CLI keeps a rule. */
const keptIn: Readonly<Record<string, { effect: Effect; file?: string }>> = {
	session: { effect: 'session' },
	localSettings: { effect: 'folder', file: '.claude/settings.local.json' },
	projectSettings: { effect: 'folder', file: '.claude/settings.json' },
	userSettings: { effect: 'user', file: '~/.claude/settings.json' },
};

const NO: readonly Choice[] = [{ effect: 'no' }, { effect: 'end' }];

const PERMISSION = 'PermissionRequest';

/** A conversation of Nancy's hands over the same as the hook, with the id of the call. */
function askedIn({ event, payload }: HookCall) {
	const { known } = parsePayload(event === ASKS_PERMISSION ? PERMISSION : event, payload);
	return known?.hook_event_name === PERMISSION ? known : undefined;
}

function read(hookCall: HookCall): AskedRequest | 'none' {
	if (isForeign(hookCall)) return 'none';
	const known = askedIn(hookCall);
	if (known === undefined) return 'none';
	const { session_id: session, agent_id: subagent, agent_type, cwd, tool_name: tool, tool_input: input } = known;
	const { tool_use_id: call } = known;
	const about = {
		session,
		...(subagent !== undefined && { subagent }),
		...(subagent !== undefined && agent_type !== undefined && { subagentName: agent_type }),
		...(cwd !== undefined && { cwd }),
		tool,
		...(call !== undefined && { call }),
		input,
		files: [textIn(input, 'file_path') ?? textIn(input, 'notebook_path')].filter(file => file !== undefined),
		fields: [],
		also: [],
	};
	if (tool === 'AskUserQuestion') {
		const fields = fieldsOf(input);
		const body = fields.map(field => field.question).join('\n');
		const title = oneLine(fields[0]?.question) ?? tool;
		// The CLI's dialog has no other No.
		return { ...about, kind: 'choice', title, body, bodyIs: 'text', fields, choices: [{ effect: 'once' }, ...NO] };
	}
	if (tool === 'ExitPlanMode') {
		const plan = textIn(input, 'plan') ?? '';
		const edits: Choice = { effect: 'session', rule: 'acceptEdits' };
		const title = oneLine(plan.replace(/^#+\s*/, '')) ?? tool;
		return {
			...about,
			kind: 'plan',
			title,
			body: plan,
			bodyIs: 'plan',
			// A Yes is for what can be read.
			choices: plan.trim() === '' ? [...NO] : [{ effect: 'once' }, edits, ...NO],
		};
	}
	return {
		...about,
		kind: 'tool',
		title: inputSummary(input) ?? tool,
		...inputBody(input),
		choices: [{ effect: 'once' }, ...choicesOf(suggestionsIn(known.permission_suggestions)), ...NO],
	};
}

function answer(call: HookCall, given: Answer): HookAnswer {
	const known = askedIn(call);
	if (known === undefined) throw new Error(`${call.event} asks nothing`);
	return {
		stdout: JSON.stringify({
			hookSpecificOutput: { hookEventName: PERMISSION, decision: decisionOf(known, given) },
		}),
		stderr: '',
		exitCode: 0,
	};
}

/** An answer in the CLI's own form. */
export function decisionOf(asked: Asked, given: Reply): object {
	if (isYes(given.effect))
		return { behavior: 'allow', ...inputFor(asked.tool_name, asked.tool_input, given), ...rulesFor(asked, given) };
	return {
		behavior: 'deny',
		message: given.words ? `The user said no: ${given.words}` : 'The user said no.',
		...(given.effect === 'end' && { interrupt: true }),
	};
}

/** Never for a tool: what runs is what the person saw. */
function inputFor(tool: string, input: unknown, { values = {} }: Reply): { updatedInput?: unknown } {
	if (tool === 'ExitPlanMode') return { updatedInput: {} };
	if (tool !== 'AskUserQuestion' || !isObject(input)) return {};
	// The CLI's own form for several.
	const answers = Object.fromEntries(Object.entries(values).map(([key, texts]) => [key, texts.join(', ')]));
	return { updatedInput: { ...input, answers } };
}

interface Asked {
	tool_name: string;
	tool_input?: unknown;
	permission_suggestions?: readonly unknown[] | undefined;
}

function rulesFor(asked: Asked, { effect }: Reply): { updatedPermissions?: Suggestion[] } {
	if (effect === 'once') return {};
	if (asked.tool_name === 'ExitPlanMode')
		return { updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] };
	return { updatedPermissions: rulesWith(suggestionsIn(asked.permission_suggestions), effect) };
}

/** What a choice adds. For the session: everything suggested, but kept in no file. */
function rulesWith(suggestions: readonly Suggestion[], effect: Effect): Suggestion[] {
	if (effect === 'session') return suggestions.map(each => ({ ...each, destination: 'session' }));
	return suggestions.filter(({ destination }) => keptIn[destination]?.effect === effect);
}

function choicesOf(suggestions: readonly Suggestion[]): Choice[] {
	return (['session', 'folder', 'user'] as const).flatMap(effect => {
		const rules = rulesWith(suggestions, effect);
		const [file, ...others] = new Set(rules.map(({ destination }) => keptIn[destination]?.file));
		// A choice names one place.
		if (rules.length === 0 || others.length > 0) return [];
		return [{ effect, rule: rules.map(ruleText).join('; '), ...(file !== undefined && { keptIn: file }) }];
	});
}

function ruleText(suggestion: Suggestion): string {
	switch (suggestion.type) {
		case 'addRules':
			return suggestion.rules
				.map(({ toolName, ruleContent }) =>
					ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
				)
				.join(', ');
		case 'addDirectories':
			return suggestion.directories.map(folder => `--add-dir ${folder}`).join(' ');
		case 'setMode':
			return suggestion.mode;
	}
}

/** Those of a kind that Nancy can spell out. */
function suggestionsIn(suggestions: readonly unknown[] = []): Suggestion[] {
	return suggestions.flatMap(each => {
		const read = Suggestion.safeParse(each);
		return read.success && Object.hasOwn(keptIn, read.data.destination) ? [read.data] : [];
	});
}

function fieldsOf(input: unknown): Field[] {
	return AskedUser.parse(input).questions.map(({ question, header, options, multiSelect }) => ({
		question,
		...(header !== undefined && { header }),
		options: options.map(({ label, description }) => ({
			label,
			...(description !== undefined && { description }),
		})),
		isMultiple: multiSelect,
	}));
}
