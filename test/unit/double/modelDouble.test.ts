import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startModelDouble, type ModelDouble } from '../../double/modelDouble.ts';

interface Message {
	role: string;
	content: unknown;
}

describe('the model double', () => {
	let model: ModelDouble;

	beforeEach(async () => {
		model = await startModelDouble();
	});
	afterEach(() => model.close());

	async function reply(
		...messages: Message[]
	): Promise<{ stop_reason: string; content: { name?: string; text?: string; input?: unknown }[] }> {
		const tools = ['Bash', 'Write', 'Read'].map(name => ({ name }));
		const response = await fetch(`${model.url}/v1/messages`, {
			method: 'POST',
			body: JSON.stringify({ model: 'double', messages, tools }),
		});
		return (await response.json()) as Awaited<ReturnType<typeof reply>>;
	}
	const user = (content: string): Message => ({ role: 'user', content });
	const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });

	it('plays one step of the script per reply and ends with Done', async () => {
		const script = user('[[sh:echo hi]] [[text:second]]');
		const first = await reply(script);
		expect(first).toMatchObject({
			stop_reason: 'tool_use',
			content: [{ name: 'Bash', input: { command: 'echo hi' } }],
		});
		expect((await reply(script, assistant('x'))).content).toEqual([{ type: 'text', text: 'second' }]);
		expect((await reply(script, assistant('x'), user('ok'), assistant('y'))).content).toEqual([
			{ type: 'text', text: 'Done.' },
		]);
	});

	it('follows the newest script, also one that a hook delivered as a system message', async () => {
		const { content } = await reply(user('[[sh:echo old]]'), assistant('x'), {
			role: 'system',
			content: [{ type: 'text', text: 'PreToolUse:Bash hook additional context: [[text:new course]]' }],
		});
		expect(content).toEqual([{ type: 'text', text: 'new course' }]);
	});

	it('is not steered by the output of a tool, unless it carries a message from Nancy', async () => {
		const result = (content: string): Message => ({ role: 'user', content: [{ type: 'tool_result', content }] });
		const before = [user('[[sh:a]] [[text:as planned]]'), assistant('x')];
		expect((await reply(...before, result('[[text:from a file]]'))).content).toEqual([
			{ type: 'text', text: 'as planned' },
		]);
		const halt =
			'[Nancy message m1: directive from the user (Nancy sidebar)]\n[[text:halted]]\n\n[Each message is kept as …]';
		expect((await reply(...before, result(halt))).content).toEqual([{ type: 'text', text: 'halted' }]);
	});

	it('records what the model could read and hands it to those who wait', async () => {
		const waiting = model.waitForRequest(request => request.text.includes('needle'));
		await reply(user('hay'));
		await reply(user('a needle'));
		expect((await waiting).turns).toEqual([{ speaker: 'agent-side', text: 'a needle', toolOutput: '' }]);
		await expect(model.waitForRequest(() => false, 10)).rejects.toThrow('No such request');
	});
});
