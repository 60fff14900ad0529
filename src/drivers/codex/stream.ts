import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';

// Lines of `codex exec --json`: codex-rs, exec/src/exec_events.rs. A line of an unknown type is ignored.

const count = z.optional(z.number());
const text = z._default(z.string(), '');
const item = { id: z.string() };

const Item = z.lazy(() =>
	z.discriminatedUnion('type', [
		z.looseObject({ ...item, type: z.literal('agent_message'), text }),
		z.looseObject({
			...item,
			type: z.literal('command_execution'),
			command: text,
			aggregated_output: text,
			exit_code: z.optional(z.nullable(z.number())),
			/** `in_progress`, `completed`, `failed`, `declined` */
			status: text,
		}),
		z.looseObject({
			...item,
			type: z.literal('file_change'),
			changes: z._default(z.array(z.looseObject({ path: z.string() })), []),
			status: text,
		}),
		z.looseObject({
			...item,
			type: z.literal('mcp_tool_call'),
			server: text,
			tool: text,
			status: text,
			error: z.optional(z.nullable(z.looseObject({ message: text }))),
		}),
		z.looseObject({
			...item,
			type: z.literal('collab_tool_call'),
			tool: text,
			prompt: z.optional(z.nullable(z.string())),
		}),
		z.looseObject({ ...item, type: z.literal('web_search'), query: text }),
	]),
);
export type Item = z.infer<typeof Item>;

export const Line = z.lazy(() =>
	z.discriminatedUnion('type', [
		z.looseObject({ type: z.literal('thread.started'), thread_id: SessionId }),
		z.looseObject({ type: z.literal('item.started'), item: Item }),
		z.looseObject({ type: z.literal('item.completed'), item: Item }),
		z.looseObject({
			type: z.literal('turn.completed'),
			usage: z._default(z.looseObject({ input_tokens: count, output_tokens: count }), {}),
		}),
		z.looseObject({ type: z.literal('turn.failed'), error: z.looseObject({ message: text }) }),
		/** Also reported before a retry. */
		z.looseObject({ type: z.literal('error'), message: text }),
	]),
);
export type Line = z.infer<typeof Line>;
