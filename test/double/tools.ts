import * as z from 'zod/mini';
import type { Reply, ScriptedCall } from './script.ts';
import { PROMPT_TOKENS, type BoundCall, type BoundReply } from './bound.ts';

/** A tool that the agent CLI offers to the model. */
export interface OfferedTool {
	name: string;
	description: string;
	/** By name; empty where the request does not say. */
	parameters: Record<string, { type?: unknown }>;
	/** Takes one text instead of parameters. */
	isFreeform: boolean;
	/** The group that it belongs to, where the request has such. */
	namespace?: string | undefined;
}

const JsonSchema = z.looseObject({
	properties: z.optional(z.record(z.string(), z.looseObject({ type: z.optional(z.unknown()) }))),
});

export function offeredTool(name: string, description: string | undefined, schema: unknown): OfferedTool {
	const parsed = JsonSchema.safeParse(schema);
	return {
		name,
		description: description ?? '',
		parameters: parsed.data?.properties ?? {},
		isFreeform: false,
	};
}

/** Each CLI has names of its own for the same tools: Claude Code, Copilot CLI and opencode, Gemini CLI and Qwen Code, Codex. */
const SHELL = /^(bash|run_shell_command|exec_command|shell_command|shell)$/i;
const WRITE = /^(write|create|write_file)$/i;
const READ = /^(read|view|read_file)$/i;
const FILE_PARAMETERS = ['file_path', 'filePath', 'path', 'absolute_path'];
const CONTENT_PARAMETERS = ['content', 'file_text'];

/** The reply with calls of the agent's own tools. A call that it has no tool for becomes a text that says so. */
export function bindReply(reply: Reply, tools: readonly OfferedTool[]): BoundReply {
	const texts = reply.text === undefined ? [] : [reply.text];
	const calls: BoundCall[] = [];
	for (const call of reply.calls ?? []) {
		const bound = bind(call, tools);
		if (bound) calls.push(bound);
		else texts.push(`There is no tool to ${wanted(call)} among ${tools.map(tool => tool.name).join(', ')}.`);
	}
	if (texts.length === 0 && calls.length === 0) texts.push('Done.');
	return {
		text: texts.join('\n'),
		calls,
		slowMs: reply.slowMs ?? 0,
		promptTokens: reply.promptTokens ?? PROMPT_TOKENS,
	};
}

function wanted(call: ScriptedCall): string {
	return call.kind === 'tool' ? `call as ${call.name}` : call.kind;
}

function bind(call: ScriptedCall, tools: readonly OfferedTool[]): BoundCall | undefined {
	const named = (pattern: RegExp) => tools.find(tool => pattern.test(tool.name));
	switch (call.kind) {
		case 'shell': {
			const tool = named(SHELL);
			return tool && shellCall(tool, call);
		}
		case 'write': {
			const tool = named(WRITE);
			if (!tool) return patch(call.file, call.content, tools);
			const file = { [parameterOf(tool, FILE_PARAMETERS)]: call.file };
			return called(tool, { ...file, [parameterOf(tool, CONTENT_PARAMETERS)]: call.content });
		}
		case 'read': {
			const tool = named(READ);
			if (tool) return called(tool, { [parameterOf(tool, FILE_PARAMETERS)]: call.file });
			// Codex reads files by shell commands.
			return bind({ kind: 'shell', command: `cat ${quote(call.file)}` }, tools);
		}
		case 'tool': {
			const tool = tools.find(offered => offered.name === call.name);
			return tool && called(tool, call.input);
		}
	}
}

function called({ name, isFreeform, namespace }: OfferedTool, input: Record<string, unknown>): BoundCall {
	return { name, input, isFreeform, namespace };
}

type ShellCall = Extract<ScriptedCall, { kind: 'shell' }>;

function shellCall(tool: OfferedTool, { command, description = `Run ${command}`, asks = false }: ShellCall): BoundCall {
	const parameter = parameterOf(tool, ['command', 'cmd']);
	const isList = tool.parameters[parameter]?.type === 'array';
	return called(tool, {
		[parameter]: isList ? ['bash', '-lc', command] : command,
		...('description' in tool.parameters && { description }),
		// Codex asks only where the model wants to leave the sandbox.
		...(asks &&
			'sandbox_permissions' in tool.parameters && {
				sandbox_permissions: 'require_escalated',
				justification: description,
			}),
	});
}

/** Codex has no tool that writes: it patches, by a tool of that name or by a command that it recognises in its shell. */
function patch(file: string, content: string, tools: readonly OfferedTool[]): BoundCall | undefined {
	const lines = content.split('\n').map(line => `+${line}`);
	const input = ['*** Begin Patch', `*** Add File: ${file}`, ...lines, '*** End Patch', ''].join('\n');
	const tool = tools.find(offered => offered.name === 'apply_patch');
	if (tool) return called(tool, { input });
	if (!tools.some(offered => offered.name === 'exec_command')) return undefined;
	return bind({ kind: 'shell', command: `apply_patch <<'EOF'\n${input}EOF` }, tools);
}

/** The first of `names` that the tool knows; the first of all where the request does not describe its parameters. */
function parameterOf(tool: OfferedTool, names: readonly string[]): string {
	return names.find(name => name in tool.parameters) ?? names[0] ?? '';
}

function quote(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}
