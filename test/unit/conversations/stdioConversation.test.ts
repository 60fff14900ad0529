import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AgentProcess } from '../../../src/conversations/agentProcess.ts';
import type { Asked, Answered } from '../../../src/conversations/conversation.ts';
import { StdioConversation } from '../../../src/conversations/stdioConversation.ts';
import { stdio } from '../../../src/drivers/claude-code/stdio.ts';
import { eventually } from '../../support/eventually.ts';
import { tempFolder } from '../../support/tempFolder.ts';

/**
 * The smallest program that speaks the protocol, with noise before its first word. A prompt is the line that it prints; `ask` asks before the turn
 * is over, `twice` begins another turn by itself, and `die` ends it.
 */
const SPEAKS = `
	const say = line => console.log(JSON.stringify(line));
	const over = () => say({ type: 'result', subtype: 'success', is_error: false });
	console.log('warning: something');
	console.log('{"type":');
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { type, request_id, request, message, response } = JSON.parse(line);
		if (type === 'control_request' && request.subtype === 'initialize')
			say({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
		if (type === 'control_request' && request.subtype === 'interrupt')
			say({ type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' });
		if (type === 'control_response') {
			console.error('answered ' + JSON.stringify(response.response));
			over();
		}
		if (type !== 'user') return;
		say({ type: 'system', subtype: 'init', session_id: 's1' });
		if (message.content === 'die') process.exit(3);
		if (message.content.startsWith('ask'))
			return say({
				type: 'control_request',
				request_id: 'q1',
				request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1', ...(message.content === 'ask beside' && { agent_id: 'a1' }) },
			});
		if (message.content === 'wait') return;
		over();
		if (message.content !== 'twice') return;
		say({ type: 'system', subtype: 'init', session_id: 's1' });
		over();
	});
`;

type Ask = (asked: Asked, over: AbortSignal) => Promise<Answered | undefined>;

async function talk(source: string, ask: Ask = () => Promise.resolve(undefined)) {
	const folder = tempFolder();
	writeFileSync(folder.file('agent.cjs'), source);
	const notes: string[] = [];
	const turns: Promise<unknown>[] = [];
	const program = {
		executable: process.execPath,
		args: [folder.file('agent.cjs')],
		cwd: folder.path,
		env: {},
		sessions: 'own' as const,
	};
	const conversation = await StdioConversation.begin(
		await AgentProcess.start({ program, stop: new AbortController().signal }),
		stdio,
		{
			update: () => undefined,
			ask,
			words: () => Promise.resolve(undefined),
			began: turn => turns.push(turn),
			note: text => notes.push(text),
		},
	);
	return {
		conversation,
		notes,
		turns,
		[Symbol.asyncDispose]: async () => {
			await conversation.close();
			await folder.remove();
		},
	};
}

it('tells once that an agent prints something else, and goes on', async () => {
	await using it = await talk(SPEAKS);
	expect(await it.conversation.prompt('hello')).toBe('end_turn');
	expect(it.conversation.session).toBe('s1');
	expect(it.notes).toEqual(['It prints lines that are no messages to Nancy. They are left out.']);
	expect(it.turns).toEqual([]);
});

it('hears of a turn that the agent begins by itself', async () => {
	await using it = await talk(SPEAKS);
	await it.conversation.prompt('twice');
	await eventually('another turn', () => it.turns.length === 1);
	expect(await it.turns[0]).toBe('end_turn');
});

it.each([
	['nobody has answered', () => Promise.resolve(undefined)],
	['asking has failed', () => Promise.reject(new Error('no terminal'))],
])('ends the turn with a No where %s', async (_, ask) => {
	await using it = await talk(SPEAKS, ask);
	await it.conversation.prompt('ask');
	await eventually('the answer', () => it.conversation.complaints().includes('"interrupt":true'));
	expect(it.conversation.complaints()).toContain('"behavior":"deny"');
});

it('allows nothing but what was asked for, by a Yes to it', async () => {
	await using it = await talk(SPEAKS, async ({ options }) => {
		const yes = options.find(({ optionId }) => optionId === 'once');
		return yes && { option: yes };
	});
	await it.conversation.prompt('ask');
	await eventually('the answer', () => it.conversation.complaints().includes('answered'));
	expect(it.conversation.complaints()).toBe('answered {"updatedInput":{"command":"ls"},"behavior":"allow"}');
});

it('answers no question of a turn that its user breaks off', async () => {
	const asked: AbortSignal[] = [];
	await using it = await talk(SPEAKS, (_, over) => {
		asked.push(over);
		return new Promise(resolve => over.addEventListener('abort', () => resolve(undefined)));
	});
	const turn = it.conversation.prompt('ask');
	await eventually('a question', () => asked.length === 1);
	await it.conversation.cancel();
	expect(await turn).toBe('cancelled');
	expect(asked[0]?.aborted).toBe(true);
	await it.conversation.close();
	expect(it.conversation.complaints()).toBe('');
});

it('takes words for the turn that runs, and none otherwise', async () => {
	await using it = await talk(SPEAKS);
	expect(it.conversation.steer('early')).toBe(false);
	const turn = it.conversation.prompt('wait');
	expect(it.conversation.steer('now')).toBe(true);
	expect(await turn).toBe('end_turn');
});

it('ends with the agent’s own words if that ends, before it has begun or in the middle of a turn', async () => {
	await expect(talk('console.error("no such session"); process.exit(1)')).rejects.toThrow('no such session');
	await using it = await talk(SPEAKS);
	await expect(it.conversation.prompt('die')).rejects.toThrow('The agent has ended.');
	await it.conversation.closed;
	expect(it.conversation.pid).toBeUndefined();
});

it('leaves the question of a subagent open when its user breaks a turn off, and answers it', async () => {
	let answer: (answered: undefined) => void = () => undefined;
	const asked: AbortSignal[] = [];
	await using it = await talk(SPEAKS, (_, over) => {
		asked.push(over);
		return new Promise(resolve => (answer = resolve));
	});
	const turn = it.conversation.prompt('ask beside');
	await eventually('a question', () => asked.length === 1);
	await it.conversation.cancel();
	expect(await turn).toBe('cancelled');
	expect(asked[0]?.aborted).toBe(false);
	answer(undefined);
	await eventually('the answer', () => it.conversation.complaints().includes('"behavior":"deny"'));
});
