import * as z from 'zod/mini';

const Block = z.looseObject({
	type: z.string(),
	text: z.optional(z.string()),
	content: z.optional(z.unknown()),
});
const Message = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Block)]) });

/** The part of an Anthropic Messages request that the double reads. */
export const MessagesRequest = z.looseObject({
	model: z.string(),
	messages: z.array(Message),
	tools: z.optional(z.array(z.looseObject({ name: z.optional(z.string()) }))),
	stream: z.optional(z.boolean()),
});
export type MessagesRequest = z.infer<typeof MessagesRequest>;

/**
 * One message of the conversation. `agent-side` is all that the model did not say: the user, the agent CLI's reminders,
 * hook contexts. Output of tools is left out, so a file that is shown cannot steer the model; a message from Nancy is kept
 * wherever it comes, because a halted tool call carries it as the call's result.
 */
export interface Turn {
	speaker: 'agent-side' | 'model';
	text: string;
	/** Text that came as the result of a tool call. */
	toolOutput: string;
}

export function turnsOf(request: MessagesRequest): Turn[] {
	return request.messages.map(({ role, content }) => {
		const blocks = typeof content === 'string' ? [{ type: 'text', text: content, content: undefined }] : content;
		const results = blocks.filter(block => block.type === 'tool_result').map(block => flatten(block.content));
		const texts = blocks.filter(block => block.type === 'text').map(block => block.text ?? '');
		const delivered = results.flatMap(result => deliveredMessages(result).map(message => message.whole));
		return {
			speaker: role === 'assistant' ? 'model' : 'agent-side',
			text: [...texts, ...delivered].join('\n'),
			toolOutput: results.join('\n'),
		};
	});
}

export interface DeliveredMessage {
	/** With its heading. */
	whole: string;
	kind: string;
	text: string;
	id: string;
}

/** Nancy's messages in a text, each once: some events hand the same message to the model twice. */
export function deliveredMessages(text: string): DeliveredMessage[] {
	const found = text.matchAll(
		/\[Nancy message (\S+): ([^\]]*?) from [^\]]*\]\n([^]*?)\n(?=\n\[(?:Nancy message|Each message) )/g,
	);
	const byId = new Map<string, DeliveredMessage>();
	for (const [whole, id = '', kind = '', words = ''] of found) byId.set(id, { whole, kind, text: words, id });
	return [...byId.values()];
}

/** Every text in a request, tool output included: what the model could read. */
export function readableText(request: MessagesRequest): string {
	return turnsOf(request)
		.map(turn => `${turn.text}\n${turn.toolOutput}`)
		.join('\n');
}

function flatten(content: unknown): string {
	if (typeof content === 'string') return content;
	const blocks = z.array(Block).safeParse(content);
	return blocks.success ? blocks.data.map(block => block.text ?? '').join('\n') : '';
}
