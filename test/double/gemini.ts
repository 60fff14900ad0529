import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { agentTurn, modelTurn, type Turn } from './conversation.ts';
import { offeredTool } from './tools.ts';
import { sendJson, startEvents, trickle, type ModelRequest, type Wire } from './wire.ts';
import type { BoundReply } from './bound.ts';

const FunctionResponse = z.looseObject({ response: z.optional(z.unknown()) });
const Part = z.looseObject({ text: z.optional(z.string()), functionResponse: z.optional(FunctionResponse) });
const Content = z.looseObject({ role: z.optional(z.string()), parts: z.optional(z.array(Part)) });
const Declaration = z.looseObject({
	name: z.string(),
	description: z.optional(z.string()),
	parametersJsonSchema: z.optional(z.unknown()),
	parameters: z.optional(z.unknown()),
});

/** The part of a generateContent request that the double reads. */
const GenerateRequest = z.looseObject({
	contents: z.array(Content),
	systemInstruction: z.optional(Content),
	tools: z.optional(z.array(z.looseObject({ functionDeclarations: z.optional(z.array(Declaration)) }))),
	generationConfig: z.optional(z.looseObject({ responseMimeType: z.optional(z.string()) })),
});

/** Gemini API: Gemini CLI. */
export const gemini: Wire = {
	name: 'gemini',
	read: (pathname, body) => {
		const [, model, method] = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(pathname) ?? [];
		if (model === undefined) return undefined;
		const { contents, systemInstruction, tools = [], generationConfig } = GenerateRequest.parse(body);
		return {
			model,
			turns: contents.map(turnOf),
			instructions: (systemInstruction?.parts ?? []).map(part => part.text ?? '').join('\n'),
			tools: tools
				.flatMap(tool => tool.functionDeclarations ?? [])
				.map(each => offeredTool(each.name, each.description, each.parametersJsonSchema ?? each.parameters)),
			stream: method === 'streamGenerateContent',
			wantsJson: generationConfig?.responseMimeType === 'application/json',
		};
	},
	send,
	errorBody: (code, message) => ({ error: { code, message, status: 'DOUBLE' } }),
};

function turnOf({ role, parts = [] }: z.infer<typeof Content>): Turn {
	const texts = parts.flatMap(part => part.text ?? []);
	if (role === 'model') return modelTurn(texts);
	return agentTurn(
		texts,
		parts.flatMap(part => (part.functionResponse ? flatten(part.functionResponse.response) : [])),
	);
}

const ToolResult = z.looseObject({ output: z.optional(z.string()), error: z.optional(z.string()) });

/** Line breaks as they are: in JSON they would be escaped. */
function flatten(result: unknown): string {
	const { data } = ToolResult.safeParse(result);
	return data?.output ?? data?.error ?? JSON.stringify(result ?? '');
}

/** Answers to what the CLI asks on its own: which model to take, who speaks next. */
const OWN_QUESTION = {
	reasoning: 'The double says so.',
	complexity_reasoning: 'The double says so.',
	complexity_score: 10,
	model_choice: 'flash',
	next_speaker: 'user',
};

async function send(response: ServerResponse, request: ModelRequest, reply: BoundReply): Promise<void> {
	const text = request.wantsJson ? JSON.stringify(OWN_QUESTION) : reply.text;
	const calls = reply.calls.map(({ name, input }) => ({
		functionCall: { id: `call_${randomUUID()}`, name, args: input },
	}));
	const base = { modelVersion: request.model, responseId: randomUUID() };
	const chunk = (parts: object[], finishReason?: string) => ({
		...base,
		candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
		usageMetadata: {
			promptTokenCount: reply.promptTokens,
			candidatesTokenCount: 20,
			totalTokenCount: reply.promptTokens + 20,
		},
	});
	const texts = text === '' ? [] : [{ text }];
	if (!request.stream) return sendJson(response, 200, chunk([...texts, ...calls], 'STOP'));
	startEvents(response);
	const emit = (data: object) => response.write(`data: ${JSON.stringify(data)}\r\n\r\n`);
	if (text !== '') await trickle(text, reply.slowMs, piece => emit(chunk([{ text: piece }])));
	emit(chunk(calls.length > 0 ? calls : [{ text: '' }], 'STOP'));
	response.end();
}
