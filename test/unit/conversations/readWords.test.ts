import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConversationRecord, forgetConversation } from '../../../src/core/sessions/conversationRecord.ts';
import { Transcript } from '../../../src/core/sessions/transcripts.ts';
import { parseLine } from '../../../src/core/files/jsonLines.ts';
import { OwnFolder } from '../../../src/core/files/ownFolder.ts';
import { readEvent } from '../../../src/drivers/acp/events.ts';
import { transcript as format } from '../../../src/drivers/acp/transcript.ts';
import { ConversationLine, ConversationUsage } from '../../../src/protocol/conversationRecord.ts';
import { DriverId, SessionId } from '../../../src/protocol/names.ts';
import { eventually } from '../../support/eventually.ts';
import { programs } from '../../support/programs.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal, type Terminal } from '../../support/terminal.ts';

/** The smallest program that speaks the protocol. It does what the first word of a prompt says. */
const AGENT = `
	const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
	const talk = text => say({ method: 'session/update', params: { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } });
	let open;
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { id, method, params } = JSON.parse(line);
		if (method === 'initialize') return say({ id, result: { protocolVersion: 1 } });
		if (method === 'session/new') return say({ id, result: { sessionId: 's1' } });
		if (method === 'session/cancel') return say({ id: open, result: { stopReason: 'cancelled' } });
		open = id;
		const text = params.prompt.map(each => each.text).join('');
		require('node:fs').appendFileSync(process.env.SEEN + '/prompts', JSON.stringify(text) + '\\n');
		const [word] = text.split(/\\s/);
		if (word === 'talk') talk('Some words.\\n');
		const usage = { sessionUpdate: 'usage_update', used: 5000, size: 20000, cost: { amount: text.includes('credit') ? -1 : 0.25, currency: text.split(/\\s/)[1] } };
		if (word === 'use') say({ method: 'session/update', params: { sessionId: 's1', update: usage } });
		if (word === 'fail') return say({ id, error: { code: -32000, message: 'out of credit' } });
		if (word !== 'hold') say({ id, result: { stopReason: word === 'use' ? 'end_turn' : word } });
		// Words of a turn that was broken off, once the next one has begun.
		if (word === 'hold' && text.includes('late')) talk('Late words.\\n');
	});
`;
const WORDS = 'Words of Nancy.';
/** In place of the guard: hands the same words over with each prompt, once the file is there that holds it up. */
const GUARD = `#!/bin/sh
exec 3>>"$SEEN/calls"; echo "$2" >&3
[ "$2" != interrupted ] || exec cat > "$SEEN/ended"
[ "$2" = prompt ] || exec cat > /dev/null
while [ -e "$SEEN/closed" ]; do sleep 0.05; done
echo '{"words":"${WORDS}"}'
exec cat > /dev/null
`;

let folder: TempFolder;
let shown: Terminal;
beforeEach(async () => {
	folder = tempFolder();
	for (const each of ['.config/nancy', 'seen', 'project']) mkdirSync(folder.file(each), { recursive: true });
	writeFileSync(folder.file('agent.cjs'), AGENT);
	writeFileSync(folder.file('guard'), GUARD, { mode: 0o755 });
	const settings = JSON.stringify({ agentServers: { mine: { command: 'node' } } });
	writeFileSync(folder.file('.config', 'nancy', 'settings.json'), settings, { mode: 0o600 });
});
afterEach(() => folder.remove());

const seen = (...names: string[]) => folder.file('seen', ...names);
const prompts = () => (existsSync(seen('prompts')) ? readFileSync(seen('prompts'), 'utf8') : '');

/** Nancy's program, as a terminal runs it. */
async function talk(): Promise<void> {
	const { hooks } = await programs();
	const place = [folder.file('guard'), folder.file('project'), process.execPath];
	shown = terminal(
		process.execPath,
		[join(hooks, 'conversation.js'), 'acp-mine', ...place, '', '', '', folder.file('agent.cjs')],
		{ cwd: folder.file('project'), env: { HOME: folder.path, PATH: '/usr/bin:/bin', SEEN: seen() } },
	);
	await shown.waitForText(/^> ?$/m);
}

/** What the record says was read. */
function readIn(file: string): string[] {
	return readFileSync(file, 'utf8')
		.split('\n')
		.flatMap(line => {
			const { read } = ConversationLine.safeParse(parseLine(line)).data ?? {};
			return read === undefined ? [] : [read];
		});
}

const read = () => globSync(folder.file('.local/share/nancy/workspaces/*/conversations/*')).flatMap(readIn);

/** Until the agent's turn is over. */
async function turn(prompt: string): Promise<void> {
	shown.type(`${prompt}\r`);
	await eventually('its end was told', () => {
		const calls = readFileSync(seen('calls'), 'utf8').split('\n');
		return calls.includes('stop') || calls.includes('interrupted');
	});
}

describe('what an agent has used', () => {
	beforeEach(talk);
	afterEach(() => shown.close());

	it.each([
		['USD', 0.25],
		['EUR', undefined],
		['USD credit', undefined],
	])('is known once its turn is over; what it has cost counts in dollars: %s', async (currency, costUsd) => {
		await turn(`use ${currency}`);
		const [file = ''] = globSync(folder.file('.local/share/nancy/workspaces/*/conversations/*'));
		const transcript = new Transcript(file, format);
		await eventually('the end of the turn is in the record', async () => {
			await transcript.read();
			return transcript.facts.contextTokens !== undefined;
		});
		expect(transcript.facts).toMatchObject({ contextTokens: 5000, contextWindow: 20_000, costUsd });
	});
});

it('figures that are none are dropped', () => {
	for (const usage of [
		{ used: -1, size: 1 },
		{ used: 1.5, size: 1 },
		{ used: 1, size: Number.NaN },
	])
		expect(ConversationUsage.safeParse(usage).success).toBe(false);
});

describe('words that were handed over with a prompt', () => {
	beforeEach(talk);
	afterEach(() => shown.close());

	it.each(['end_turn', 'max_tokens', 'max_turn_requests'])('are read once its turn ends with %s', async reason => {
		await turn(reason);
		expect(read()).toEqual([WORDS]);
	});

	it.each(['refusal', 'cancelled', 'fail'])('are not read if its turn ends with %s', async reason => {
		await turn(reason);
		expect(read()).toEqual([]);
	});

	it.each([
		['refusal', 'stop-failed', 'the model refused'],
		['max_turn_requests', 'stop-failed', 'the turn reached its limit of requests'],
		['fail', 'stop-failed', 'out of credit'],
		['cancelled', 'interrupted', undefined],
	])(
		'of a turn that ends with %s are followed by %s, for which a person may be called',
		async (reason, kind, summary) => {
			await turn(reason);
			const payload = await eventually(
				'its end',
				() => JSON.parse(readFileSync(seen('ended'), 'utf8')) as object,
			);
			const event = readEvent(DriverId.parse('acp-mine'), { event: 'interrupted', payload, env: {} });
			expect(event).toMatchObject({ kind, event: 'interrupted' });
			expect(event.summary).toBe(summary);
		},
	);

	it('are read once the agent has said something', async () => {
		shown.type('talk\r');
		await eventually('they are read', () => read().length === 1);
	});

	it('are not read by what the agent still says of a turn that was broken off', async () => {
		shown.type('hold\r');
		await eventually('it has the prompt', () => prompts().includes('hold'));
		shown.type('\u001b');
		await shown.waitForText(/— interrupted —/);
		shown.type('hold late\r');
		await shown.waitForText(/Late words/);
		expect(read()).toEqual([]);
	});

	it('are not sent, and neither is the prompt, if the user presses Esc before: the terminal says so', async () => {
		writeFileSync(seen('closed'), '');
		shown.type('end_turn at once\r');
		await eventually('they are being handed over', () => readFileSync(seen('calls'), 'utf8').includes('prompt'));
		// Esc may be the beginning of another key until half a second is over. Then the next key is one of its own.
		await eventually('Esc is taken', async () => {
			shown.type('\u001b');
			await sleep(1000);
			shown.type('q');
			await sleep(500);
			return /> q+$/.test(shown.screen());
		});
		rmSync(seen('closed'));
		await shown.waitForText(/Not sent: end_turn at once/);
		expect(prompts()).toBe('');
		expect(read()).toEqual([]);
	});
});

describe('the record of a conversation', () => {
	const session = SessionId.parse('acp-0123456789ab-s1');

	it('loses no line to one that a full disk cut short, and is gone with its session', async () => {
		const own = new OwnFolder(folder.file('data'), folder.file('project'));
		const record = await ConversationRecord.begin(own, session);
		record.owe('first');
		record.answered();
		appendFileSync(record.file, '{"at":"2026-01-01T00:');
		record.owe('second');
		record.answered();
		expect(readIn(record.file)).toEqual(['first', 'second']);
		await forgetConversation(own, session);
		expect(existsSync(record.file)).toBe(false);
	});
});
