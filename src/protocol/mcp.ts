import * as z from 'zod/mini';

// The Model Context Protocol, as far as Nancy's server speaks it: https://modelcontextprotocol.io/specification

const RpcId = z.union([z.string(), z.number()]);
export type RpcId = z.infer<typeof RpcId>;

/** One line of a client: a request has an id, a notification has none, and an answer has no method. */
export const RpcMessage = z.object({
	jsonrpc: z.literal('2.0'),
	id: z.optional(RpcId),
	method: z.optional(z.string()),
	params: z._default(z.looseObject({}), {}),
});

export const InitializeParams = z.object({ protocolVersion: z.string() });

/** What a client says beside a request. Some name the agent's session there. */
export const Meta = z.looseObject({ progressToken: z.optional(RpcId) });
export type Meta = z.infer<typeof Meta>;

export const CallParams = z.object({
	name: z.string(),
	arguments: z._default(z.looseObject({}), {}),
	_meta: z._default(Meta, {}),
});

export const CancelledParams = z.object({ requestId: RpcId });
