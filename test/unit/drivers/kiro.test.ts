import { globSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEAF_MS } from '../../../src/conversations/deafness.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { AgentsOutput } from '../../../src/operations/listAgents.ts';
import { DelegateCreatedOutput, DelegatesOutput } from '../../../src/protocol/output/delegates.ts';
import { InboxOutput } from '../../../src/protocol/output/messages.ts';
import { AskingOutput } from '../../../src/protocol/output/questions.ts';
import { doubledAgent, type DoubledAgent } from '../../support/doubledAgent.ts';
import { eventually } from '../../support/eventually.ts';
import { long } from '../../support/long.ts';

/** What the double is made from, docs/agents/kiro.md says. */
let lab: DoubledAgent;
beforeAll(async () => {
	lab = await doubledAgent('kiro-cli', 'kiro-cli.mjs');
});
afterAll(() => lab[Symbol.asyncDispose]());

/** The file of the double's only conversation. */
const conversation = () => lab.home.file(globSync('.kiro/sessions/cli/*.jsonl', { cwd: lab.home.path })[0] ?? '');

it('offers what nobody has tried after all that was, and says so', async () => {
	const { agents } = AgentsOutput.parse(await lab.json('agents'));
	const untried = drivers.filter(({ knownFrom }) => knownFrom !== 'runs').map(({ id }) => id);
	expect(untried).toContain('kiro');
	expect(agents.slice(-untried.length).map(({ id, isUntried }) => [id, isUntried])).toEqual(
		untried.map(id => [id, true]),
	);
	expect(agents.filter(({ isUntried }) => isUntried)).toHaveLength(untried.length);
	expect(agents.find(({ id }) => id === 'kiro')).toMatchObject({ found: { version: '2.16.0' }, installCommand: '' });
	expect((await lab.call('agents')).stdout).toContain('kiro  Kiro (not tried with Nancy) 2.16.0');
});

it('runs a turn, asks at the desk, is woken, and goes on with its conversation', async () => {
	const prompt = 'The door is blue. [[options]] [[sh:touch made]] [[text:All said]]';
	const first = lab.shown('orchestrate', 'build', '--agent', 'kiro', '--model', 'auto', '--prompt', prompt);
	await first.waitForText(/^Options: --model=auto/m);
	await first.waitForText(/touch made[^]*Your answer/);
	const [asked] = await eventually('the question', async () => {
		const { questions } = AskingOutput.parse(await lab.json('questions'));
		return questions.length > 0 ? questions : undefined;
	});
	expect(asked?.question).toMatchObject({ driver: 'kiro', tool: 'execute', body: 'touch made' });
	const answering = lab.shown('answer', asked?.question.id ?? '', 'yes');
	await answering.ended;
	await answering.close();
	await first.waitForText(/^All said/m);
	expect(globSync('made', { cwd: lab.project })).toEqual(['made']);
	await lab.idle('build');
	const { stdout: sent } = await lab.call('send', 'build', 'Look. [[text:Looked]]');
	await first.waitForText(/^Looked/m);
	const { messages } = InboxOutput.parse(await lab.json('inbox'));
	expect(messages).toMatchObject([
		{ id: sent.trim(), state: 'delivered', receipt: { rung: 'waiter', driver: 'kiro' } },
	]);
	await lab.idle('build');
	// A line that is sent so soon after an answer from elsewhere counts as one to that question, and is dropped.
	await sleep(DEAF_MS);
	first.type('/exit\r');
	expect(await first.ended).toBe(0);
	await first.close();

	const again = lab.shown('orchestrate', 'build', '--resume', '--prompt', 'Which door? [[recall]]');
	await again.waitForText(/^Before: The door is blue\./m);
	await lab.idle('build');
	again.type('/exit\r');
	await again.ended;
	await again.close();
});

it('is in Doctor’s report, which finds nothing of it to deploy, and says how to get what is missing', async () => {
	const { stdout } = await lab.call('doctor');
	expect(stdout).toMatch(/Kiro 2\.16\.0 at .*kiro-cli/);
	expect(stdout).not.toMatch(/Kiro has no hooks|Kiro: /);
	expect(stdout).toMatch(/Amazon Q: there is no "q" on the PATH\. .*says how to install it\./);
});

it.each([
	[
		'Kiro refuses',
		() => writeFileSync(`${conversation()}.killed`, ''),
		/cannot go on: Internal error: Failed to start session: Session is active in another process \(PID 26121\)\. Start another worker\./,
	],
	[
		'Kiro ends without a word',
		() => rmSync(conversation()),
		/cannot go on: the agent has ended without a word \(code 0\)\. Start another worker\./,
	],
])('says what to do if %s when it is to load a conversation', async (_what, prepare, words) => {
	prepare();
	const again = lab.shown('orchestrate', 'build', '--resume', '--prompt', 'Which door?');
	expect(await again.ended).toBe(1);
	// A terminal breaks lines anywhere.
	await eventually('the reason', () => words.test(again.history().replaceAll('\n', '')));
	await again.close();
});

// After those that look for the one conversation.
it('works as a delegate that waits for its user', long, async () => {
	const prompt = '[[options]] [[sh:touch delegated]] [[text:All done]]';
	const words = ['delegate', prompt, '--agent', 'kiro', '--model', 'auto', '--permissions', 'ask-me'];
	const { id } = DelegateCreatedOutput.parse(await lab.json(...words));
	const asked = await eventually('the question', async () => {
		const { questions } = AskingOutput.parse(await lab.json('questions'));
		return questions.find(({ question }) => question.delegate === id);
	});
	expect(asked.question).toMatchObject({ driver: 'kiro', body: 'touch delegated' });
	const answering = lab.shown('answer', asked.question.id, 'yes');
	await answering.ended;
	await answering.close();
	const { delegates } = DelegatesOutput.parse(await lab.json('delegates', id, '--wait', '--timeout', '600'));
	expect(delegates).toMatchObject([{ status: 'done', agent: 'kiro', toolCalls: 1 }]);
	expect(globSync('delegated', { cwd: lab.project })).toEqual(['delegated']);
	expect((await lab.call('delegates', id)).stdout).toContain('All done');
});
