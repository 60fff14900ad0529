import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AcpConversation } from '../../../src/conversations/acpConversation.ts';
import { AgentProcess } from '../../../src/conversations/agentProcess.ts';
import type { SessionNames } from '../../../src/core/driver/acp.ts';
import { sessions } from '../../../src/drivers/acp/sessions.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { tempFolder } from '../../support/tempFolder.ts';

/**
 * The smallest program that speaks the protocol: it says what it can, and begins a session of this name. It keeps the names by which it is
 * called. At a prompt it asks in this session and in another one, and keeps the answers.
 */
const speaks = (capabilities: object, session: string, loaded: object = {}, set = '{ result: {} }') => `
	const keep = line => require('node:fs').appendFileSync('kept', line + '\\n');
	const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
	let [prompt, answers] = [undefined, 0];
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { id, method, params = {}, result } = JSON.parse(line);
		if (params.sessionId !== undefined) keep(method + ' ' + params.sessionId);
		if (method === undefined) keep(id + ' ' + result.outcome.outcome);
		if (method === undefined && ++answers === 2) say({ id: prompt, result: { stopReason: 'end_turn' } });
		if (method === 'initialize')
			say({ id, result: { protocolVersion: 1, agentCapabilities: ${JSON.stringify(capabilities)} } });
		if (method === 'session/new')
			say({ id, ...(${JSON.stringify(session)} === 'no' ? { error: { code: -32000, message: 'Authentication required' } } : { result: { sessionId: ${JSON.stringify(session)} } }) });
		if (method === 'session/load' || method === 'session/resume') say({ id, result: ${JSON.stringify(loaded)} });
		if (method?.startsWith('session/set')) say({ id, ...${set} });
		if (method !== 'session/prompt') return;
		prompt = id;
		for (const sessionId of [params.sessionId, 'another'])
			say({
				id: 'ask-' + sessionId,
				method: 'session/request_permission',
				params: { sessionId, options: [], toolCall: { toolCallId: 'c' } },
			});
	});
`;

interface Start {
	/** The agent's name for a session that begins. */
	session?: string;
	resume?: string;
	sessions?: SessionNames | 'own';
	prompt?: string;
}

/** The name by which Nancy knows the session, by which it is asked, and what the agent has kept. */
async function talked(capabilities: object, { session = 's1', resume, sessions: named = 'own', prompt }: Start = {}) {
	await using folder = tempFolder();
	writeFileSync(folder.file('agent.cjs'), speaks(capabilities, session));
	const args = [folder.file('agent.cjs')];
	const program = { executable: process.execPath, args, cwd: folder.path, env: {}, sessions: named };
	const asked: string[] = [];
	const beginning = {
		program,
		resume: resume === undefined ? undefined : SessionId.parse(resume),
		pull: undefined,
		stop: new AbortController().signal,
	};
	const conversation = await AcpConversation.begin(await AgentProcess.start(beginning), beginning, {
		update: () => undefined,
		ask: async ({ held }) => {
			asked.push(String((held.payload as { session?: string }).session));
			return { option: { optionId: 'yes', name: 'Yes', kind: 'allow_once' } };
		},
		words: () => Promise.resolve(undefined),
		began: () => undefined,
		note: () => undefined,
	});
	const { session: name } = conversation;
	if (prompt !== undefined) await conversation.prompt(prompt);
	await conversation.close();
	const kept = prompt === undefined ? [] : readFileSync(folder.file('kept'), 'utf8').trim().split('\n');
	return { name, asked, kept };
}
const begin = async (capabilities: object, start?: Start) => (await talked(capabilities, start)).name;

it('goes on with an earlier conversation only where the agent says that it can', async () => {
	expect(await begin({ loadSession: true }, { resume: 'earlier' })).toBe('earlier');
	const { name, kept } = await talked({ sessionCapabilities: { resume: {} } }, { resume: 'earlier', prompt: 'On.' });
	expect([name, kept[0]]).toEqual(['earlier', 'session/resume earlier']);
	await expect(begin({}, { resume: 'earlier' })).rejects.toThrow(
		'This agent cannot go on with an earlier conversation. Start another worker.',
	);
	expect(await begin({})).toBe('s1');
});

describe('an earlier conversation goes on in the mode that its launch asks for', () => {
	const modes = { currentModeId: 'yolo', availableModes: ['plan', 'yolo'].map(id => ({ id, name: id })) };
	const option = {
		id: 'approval',
		category: 'mode',
		type: 'select',
		currentValue: 'yolo',
		options: ['plan', 'yolo'].map(value => ({ value, name: value })),
	};
	/** What its user is told, and what is asked of the agent. */
	const goesOn = async (mode: string | undefined, loaded: object, set?: string) => {
		await using folder = tempFolder();
		writeFileSync(folder.file('agent.cjs'), speaks({ loadSession: true }, '', loaded, set));
		const args = [folder.file('agent.cjs')];
		const program = { executable: process.execPath, args, cwd: folder.path, env: {}, sessions: 'own' } as const;
		const { signal: stop } = new AbortController();
		const beginning = { program, resume: SessionId.parse('s1'), mode, pull: undefined, stop };
		const told: string[] = [];
		const conversation = await AcpConversation.begin(await AgentProcess.start(beginning), beginning, {
			update: () => undefined,
			ask: () => Promise.resolve(undefined),
			words: () => Promise.resolve(undefined),
			began: () => undefined,
			note: text => told.push(text),
		});
		await conversation.close();
		return { told, kept: readFileSync(folder.file('kept'), 'utf8').trim().split('\n').slice(1) };
	};

	it.each([
		['is set', 'plan', { modes }, undefined, ['mode: plan'], ['session/set_mode s1']],
		['is that already', 'yolo', { modes }, undefined, [], []],
		[
			'is refused',
			'plan',
			{ modes },
			"{ error: { code: -32603, message: 'Internal error', data: 'Not here' } }",
			['the conversation goes on with mode: yolo, not plan: Internal error: Not here'],
			['session/set_mode s1'],
		],
		[
			'is not taken, although the agent answers',
			'plan',
			{ configOptions: [option] },
			`{ result: { configOptions: [${JSON.stringify(option)}] } }`,
			['approval: yolo', 'the conversation goes on with approval: yolo, not plan'],
			['session/set_config_option s1'],
		],
		['is named by no launch', undefined, { modes }, undefined, ['the conversation goes on with mode: yolo'], []],
		[
			'is named by no agent',
			'plan',
			{},
			undefined,
			['nobody knows whether the agent goes on in its mode plan'],
			[],
		],
		['is named by nobody', undefined, {}, undefined, [], []],
	])('%s', async (_what, mode, loaded, set, told, kept) => {
		expect(await goesOn(mode, loaded, set)).toEqual({ told, kept });
	});
});

it('takes no name of a session that could not be a file’s', async () => {
	await expect(begin({}, { session: '../../elsewhere' })).rejects.toThrow(/the name of its session/);
});

it('has a name of its own for a session that an agent may have counted, and the agent has its own', async () => {
	const first = await talked({}, { session: '1', sessions, prompt: 'Go.' });
	expect(first.name).toMatch(/^acp-[0-9a-f]{12}-1$/);
	expect(first.asked).toEqual([first.name]);
	expect(first.kept.toSorted()).toEqual(['ask-1 selected', 'ask-another cancelled', 'session/prompt 1']);
	expect(await begin({}, { session: '1', sessions })).not.toBe(first.name);
	const again = await talked({ loadSession: true }, { resume: first.name, sessions, prompt: 'On.' });
	expect(again.name).toBe(first.name);
	expect(again.kept.slice(0, 2)).toEqual(['session/load 1', 'session/prompt 1']);
});

it('begins another session with the same agent, which has the next prompts', async () => {
	await using folder = tempFolder();
	writeFileSync(folder.file('agent.cjs'), speaks({}, '1'));
	const args = [folder.file('agent.cjs')];
	const program = { executable: process.execPath, args, cwd: folder.path, env: {}, sessions };
	const beginning = { program, resume: undefined, pull: undefined, stop: new AbortController().signal };
	const conversation = await AcpConversation.begin(await AgentProcess.start(beginning), beginning, {
		update: () => undefined,
		ask: () => Promise.resolve(undefined),
		words: () => Promise.resolve(undefined),
		began: () => undefined,
		note: () => undefined,
	});
	const { session, pid } = conversation;
	await conversation.clear();
	expect(conversation.session).toMatch(/^acp-[0-9a-f]{12}-1$/);
	expect(conversation.session).not.toBe(session);
	expect(conversation.pid).toBe(pid);
	expect(await conversation.prompt('Go.')).toBe('end_turn');
	await conversation.close();
});

it('ends with the words of an agent that nobody has logged in to', async () => {
	await expect(begin({}, { session: 'no' })).rejects.toThrow('Authentication required');
});

it('goes on with a session that an earlier version knew by the agent’s own name', async () => {
	const { name, kept } = await talked({ loadSession: true }, { resume: 'ses_1-a', sessions, prompt: 'On.' });
	expect([name, kept[0]]).toEqual(['ses_1-a', 'session/load ses_1-a']);
});

it.each([
	['none at all', ''],
	['one that is too long for a file', 'x'.repeat(120)],
	['one with other characters', 'a/b'],
])('takes no name of a session for its own that is %s', async (_what, session) => {
	await expect(begin({}, { session, sessions })).rejects.toThrow(/the name of its session/);
});
