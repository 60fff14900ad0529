import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startModelDouble, type ModelDouble } from '../../double/modelDouble.ts';

const schema = (...names: string[]) => ({ properties: Object.fromEntries(names.map(name => [name, {}])) });
const SCRIPT = '[[sh:echo hi]] [[text:All done]]';
const NANCY =
	'[Nancy message m1: directive from the user (Nancy sidebar)]\n[[text:halted]]\n\n[Each message is kept as …]';

/** How a CLI on this wire asks, and what it shows of the first reply and of the tool's output. */
interface Sample {
	path: string;
	first: object;
	second(reply: unknown, output: string): object;
	/** As it stands in the reply to `first`. */
	call: object;
	text(reply: unknown): unknown;
}

const pick = (value: unknown, ...path: (string | number)[]): unknown =>
	path.reduce<unknown>((each, key) => (each as Record<string | number, unknown> | undefined)?.[key], value);

const responsesTools = [{ type: 'function', name: 'exec_command', description: 'Runs it', parameters: schema('cmd') }];
const responsesPrompt = { type: 'message', role: 'user', content: [{ type: 'input_text', text: SCRIPT }] };
const chatTools = [
	{ function: { name: 'bash', description: 'Runs it', parameters: schema('command', 'description') } },
];
const chatMessages = [
	{ role: 'system', content: 'You are it.' },
	{ role: 'user', content: SCRIPT },
];
const geminiTools = [
	{
		functionDeclarations: [
			{ name: 'run_shell_command', description: 'Runs it', parametersJsonSchema: schema('command') },
		],
	},
];
const geminiSystem = { parts: [{ text: 'You are it.' }] };
const geminiPrompt = { role: 'user', parts: [{ text: SCRIPT }] };

const SAMPLES: Record<string, Sample> = {
	'openai-responses': {
		path: '/v1/responses',
		first: { model: 'double', instructions: 'You are it.', input: [responsesPrompt], tools: responsesTools },
		second: (reply, output) => {
			const call = pick(reply, 'output', 0);
			const context = {
				type: 'message',
				role: 'developer',
				content: [{ type: 'input_text', text: 'A context' }],
			};
			const result = { type: 'function_call_output', call_id: pick(call, 'call_id'), output };
			const input = [responsesPrompt, call, context, result];
			return { model: 'double', instructions: 'You are it.', input, tools: responsesTools };
		},
		call: { output: [{ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"echo hi"}' }] },
		text: reply => pick(reply, 'output', 0, 'content', 0, 'text'),
	},
	'openai-chat': {
		path: '/v1/chat/completions',
		first: { model: 'double', messages: chatMessages, tools: chatTools },
		second: (reply, output) => {
			const said = pick(reply, 'choices', 0, 'message');
			return {
				model: 'double',
				messages: [...chatMessages, said, { role: 'tool', content: output }],
				tools: chatTools,
			};
		},
		call: {
			choices: [
				{
					message: {
						tool_calls: [
							{
								function: {
									name: 'bash',
									arguments: '{"command":"echo hi","description":"Run echo hi"}',
								},
							},
						],
					},
				},
			],
		},
		text: reply => pick(reply, 'choices', 0, 'message', 'content'),
	},
	gemini: {
		path: '/v1beta/models/double:generateContent',
		first: { contents: [geminiPrompt], systemInstruction: geminiSystem, tools: geminiTools },
		second: (reply, output) => {
			const said = pick(reply, 'candidates', 0, 'content');
			const result = { role: 'user', parts: [{ functionResponse: { response: { output } } }] };
			return { contents: [geminiPrompt, said, result], systemInstruction: geminiSystem, tools: geminiTools };
		},
		call: {
			candidates: [
				{ content: { parts: [{ functionCall: { name: 'run_shell_command', args: { command: 'echo hi' } } }] } },
			],
		},
		text: reply => pick(reply, 'candidates', 0, 'content', 'parts', 0, 'text'),
	},
};

describe.each(Object.entries(SAMPLES))('the model double on the wire %s', (wire, sample) => {
	let model: ModelDouble;

	beforeEach(async () => {
		model = await startModelDouble();
	});
	afterEach(() => model.close());

	const ask = async (body: object): Promise<unknown> => {
		const response = await fetch(model.url + sample.path, { method: 'POST', body: JSON.stringify(body) });
		return response.ok ? response.json() : response.status;
	};

	it('plays a script, its shell step with the tool that the agent offers', async () => {
		const reply = await ask(sample.first);
		expect(reply).toMatchObject(sample.call);
		expect(sample.text(await ask(sample.second(reply, 'hi')))).toBe('All done');
	});

	it('records all that the model could read', async () => {
		const reply = await ask(sample.first);
		await ask(sample.second(reply, 'the output'));
		const request = model.requests.at(-1);
		expect(request).toMatchObject({ wire, hasTools: true });
		for (const part of ['You are it.', 'Runs it', SCRIPT, 'the output']) expect(request?.text).toContain(part);
		expect(request?.turns.filter(turn => turn.speaker === 'model')).toHaveLength(1);
	});

	it('is steered by a message from Nancy in the output of a tool, and by nothing else there', async () => {
		const reply = await ask(sample.first);
		expect(sample.text(await ask(sample.second(reply, '[[text:from a file]]')))).toBe('All done');
		expect(sample.text(await ask(sample.second(reply, NANCY)))).toBe('halted');
	});

	it('answers with the status that the script asks for', async () => {
		expect(await ask(JSON.parse(JSON.stringify(sample.first).replace(SCRIPT, '[[err:429]]')) as object)).toBe(429);
	});
});

describe('the model double on the wire of Codex', () => {
	it('takes text and parallel calls of one reply for one step', async () => {
		await using model = await startModelDouble().then(double => ({
			...double,
			[Symbol.asyncDispose]: () => double.close(),
		}));
		const ask = async (input: unknown[]): Promise<unknown> => {
			const body = JSON.stringify({ model: 'double', input, tools: responsesTools });
			return (await fetch(`${model.url}/v1/responses`, { method: 'POST', body })).json();
		};
		const prompt = {
			type: 'message',
			role: 'user',
			content: '[[par:echo a||echo b]] [[sh:echo c]]',
		};
		const calls = pick(await ask([prompt]), 'output') as { call_id: string }[];
		const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'x' }));
		const next = await ask([prompt, calls[0], results[0], calls[1], results[1]]);
		expect(pick(next, 'output', 0, 'arguments')).toBe('{"cmd":"echo c"}');
	});
});
