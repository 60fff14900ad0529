// A double of Kiro CLI, which cannot be installed here. It speaks as kiro.dev/docs/cli/acp and reports of the program say (docs/agents/kiro.md),
// and plays the steps of a prompt: [[sh:…]] asks and then runs a command, [[text:…]] says something, [[recall]] says what it was asked before.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const VERSION = '2.16.0';
const [command, ...options] = process.argv.slice(2);
if (command === '--version') {
	console.log(`kiro-cli ${VERSION}`);
	process.exit(0);
}
if (command !== 'acp') {
	console.error(`error: unrecognized subcommand '${command}'`);
	process.exit(2);
}

const folder = join(homedir(), '.kiro', 'sessions', 'cli');
const fileOf = session => join(folder, `${session}.jsonl`);
const promptsOf = session =>
	readFileSync(fileOf(session), 'utf8')
		.split('\n')
		.filter(line => line !== '')
		.map(line => JSON.parse(line).prompt);
const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const update = (sessionId, content) => say({ method: 'session/update', params: { sessionId, update: content } });
const speak = (sessionId, text) =>
	update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

/** Answers of the client that are waited for, by the request's id. */
const waiting = new Map();
let cancelled = () => undefined;

const answers = {
	initialize: () => ({
		protocolVersion: 1,
		agentCapabilities: {
			loadSession: true,
			promptCapabilities: { image: true, audio: false, embeddedContext: false },
		},
		authMethods: [],
		agentInfo: { name: 'Kiro CLI Agent', version: VERSION },
	}),
	'session/new'() {
		const sessionId = randomUUID();
		mkdirSync(folder, { recursive: true });
		appendFileSync(fileOf(sessionId), '');
		say({ method: '_kiro.dev/commands/available', params: { sessionId, commands: [{ name: '/usage' }] } });
		return { sessionId };
	},
	'session/load'({ sessionId }) {
		if (!existsSync(fileOf(sessionId))) process.exit(0);
		if (existsSync(`${fileOf(sessionId)}.killed`))
			throw new Error('Failed to start session: Session is active in another process (PID 26121)');
		for (const text of promptsOf(sessionId))
			update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
		return {};
	},
	async 'session/prompt'({ sessionId, prompt }) {
		const text = prompt.map(part => part.text).join('');
		const before = promptsOf(sessionId);
		appendFileSync(fileOf(sessionId), `${JSON.stringify({ prompt: text })}\n`);
		const isOver = new Promise(resolve => (cancelled = () => resolve('cancelled')));
		for (const [, verb, what] of text.matchAll(/\[\[(\w+):?([^\]]*)\]\]/g)) {
			if (verb === 'text') speak(sessionId, what);
			if (verb === 'options') speak(sessionId, `Options: ${options.join(' ')}`);
			if (verb === 'recall') speak(sessionId, `Before: ${before.join('; ').replaceAll(/\[|\]/g, '')}`);
			if (verb === 'sh' && (await Promise.race([run(sessionId, what), isOver])) === 'cancelled')
				return { stopReason: 'cancelled' };
		}
		return { stopReason: 'end_turn' };
	},
};

async function run(sessionId, shell) {
	const call = {
		toolCallId: randomUUID(),
		title: `Running: ${shell}`,
		kind: 'execute',
		rawInput: { command: shell },
	};
	update(sessionId, { sessionUpdate: 'tool_call', status: 'pending', ...call });
	const id = randomUUID();
	const options = [
		{ optionId: 'allow_once', name: 'Yes', kind: 'allow_once' },
		{ optionId: 'allow_always', name: 'Always', kind: 'allow_always' },
		{ optionId: 'reject_once', name: 'No', kind: 'reject_once' },
	];
	const answered = new Promise(resolve => waiting.set(id, resolve));
	say({ id, method: 'session/request_permission', params: { sessionId, toolCall: call, options } });
	const { outcome } = await answered;
	const mayRun = outcome.outcome === 'selected' && outcome.optionId.startsWith('allow');
	if (mayRun) spawnSync('sh', ['-c', shell]);
	const status = mayRun ? 'completed' : 'failed';
	update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status });
}

createInterface({ input: process.stdin }).on('line', async line => {
	const { id, method, params, result } = JSON.parse(line);
	if (method === undefined) return waiting.get(id)?.(result);
	if (method === 'session/cancel') return cancelled();
	try {
		say({ id, result: await answers[method](params) });
	} catch (error) {
		say({ id, error: { code: -32603, message: 'Internal error', data: error.message } });
	}
});
