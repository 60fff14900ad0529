import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { qwenCode } from '../../src/drivers/qwen-code/driver.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { isAfter } from '../conformance/evidence.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { toolStep } from '../support/agents/agentUnderTest.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { beginsAnewByClear, hearsWhyNot, runsByTheDesk } from './stories.ts';

describe('a conversation with the real Qwen Code in a terminal of Nancy’s own', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async () => {
		const candidate = { agent: qwenUnderTest, driver: qwenCode, installed: pinnedAgent('qwen') };
		lab = await conformanceLab(candidate, { asks: true, answers: true });
		return deskOf(lab.nancy);
	};

	it('asks in the terminal and at the desk, the first answer counts, and words go with a No', long, async () => {
		const desk = await begin();
		const worker = await lab.start({
			prompt: '[[sh:touch made]] [[sh:touch more]] [[text:Both are there]]',
			asks: true,
		});
		const [first] = await desk.asked();
		expect(first).toMatchObject({ kind: 'tool', tool: 'run_shell_command', body: 'touch made' });
		await worker.terminal.waitForText(/Your answer/);
		await runsByTheDesk(lab, desk, first);
		const [second] = await desk.asked();
		// A line of the first moment may have been meant for the question that was answered elsewhere: a person types it again.
		await worker.terminal.waitForText(/touch more[^]*Your answer/);
		await answerQuestion(worker.terminal, /Your answer[^\n]*\s*$/, 'y\r');
		await lab.made('more');
		expect(await desk.outcome(second)).toMatchObject({ state: 'yes-elsewhere' });
		await worker.terminal.waitForText(/Both are there/);
		await worker.idle();
		await worker.submit('[[sh:touch never]] [[text:Never said]]');
		const [third] = await desk.asked();
		await hearsWhyNot(lab, third);
		await worker.terminal.waitForText(/Left alone/);
		expect(lab.has('never')).toBe(false);
	});

	it('reads a directive between two tools, and feedback when it would stop', async () => {
		await begin();
		const worker = await lab.start({ prompt: `${lab.held} [[sh:true]] [[text:First end]]` });
		await lab.made('begun');
		const directive = await lab.send(worker.address, 'Use the other port.');
		const feedback = await lab.send(worker.address, 'Well done. [[text:Second end]]', { kind: 'feedback' });
		lab.letGo();
		const steered = await lab.seen('Use the other port.');
		expect(isAfter(steered, 'First end')).toBe(false);
		await lab.seen('Well done.');
		expect(await lab.delivered(worker.address, directive)).toMatchObject({ receipt: { rung: 'hook' } });
		expect(await lab.delivered(worker.address, feedback)).toMatchObject({ receipt: { rung: 'hook' } });
		await worker.terminal.waitForText(/Second end/);
		await worker.submit('[[text:And on]]');
		await worker.terminal.waitForText(/And on\s*\n/);
	});

	it('works in the mode that its user types', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[text:Begun]]', asks: true });
		await worker.terminal.waitForText(/Begun\s*\n/);
		await worker.submit('/set mode yolo');
		await worker.terminal.waitForText(/— mode: [^\n]+ —/);
		await worker.submit('[[sh:touch made]] [[text:All said]]');
		await worker.terminal.waitForText(/All said\s*\n/);
		expect(lab.has('made')).toBe(true);
		expect(worker.terminal.history()).not.toContain('Your answer');
	});

	it('is interrupted with the tool that runs, and goes on', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 300; touch never]] [[text:Never said]]' });
		await lab.made('begun');
		await worker.interrupt();
		await worker.terminal.waitForText(/interrupted/);
		await worker.idle();
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again\s*\n/);
		await worker.idle();
		expect(lab.has('never')).toBe(false);
	});

	it(
		'is woken by a message while it is idle, also after its turn was broken off, and keeps a half-typed line',
		long,
		async () => {
			await begin();
			const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 300]] [[text:Never said]]' });
			await lab.made('begun');
			await worker.interrupt();
			await worker.idle();
			worker.terminal.type('half a thought');
			await worker.terminal.waitForText(/> half a thought/);
			for (const words of ['Look at the log.', 'And at the tests.']) {
				const id = await lab.send(worker.address, `${words} [[text:Looked]]`, { kind: 'feedback' });
				await lab.seen(words);
				expect(await lab.delivered(worker.address, id)).toMatchObject({ receipt: { rung: 'waiter' } });
				await worker.idle();
			}
			expect(lab.requests().filter(({ text }) => text.includes('half a thought'))).toEqual([]);
			await worker.submit(': [[text:The whole of it]]');
			expect((await lab.seen('half a thought: ')).text).toContain('And at the tests.');
		},
	);

	it('ends with all that it runs when its terminal is killed', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 300]] [[text:Never said]]' });
		await lab.made('begun');
		const below = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
		expect(below.length).toBeGreaterThan(1);
		process.kill(worker.terminal.pid, 'SIGKILL');
		await eventually('all of it has ended', () => below.every(each => liveness(each) === 'dead'));
	});

	it(
		'goes on with the same conversation once it is resumed, and its start is told, as its end may have been',
		long,
		async () => {
			await begin();
			const worker = await lab.start({ prompt: 'The door is blue. [[text:It is blue]]' });
			await worker.idle();
			const session = await worker.session();
			worker.terminal.type('/quit\r');
			await worker.terminal.ended;
			await lab.becomes(worker.address, 'its end is known', ({ state }) => state.phase === 'ended');
			const again = await lab.start({ prompt: 'Which door? [[text:The blue one]]', resume: true });
			const request = await lab.seen('Which door?');
			expect(request.text).toContain('The door is blue.');
			await again.terminal.waitForText(/The blue one\s*\n/);
			await again.idle();
			expect(await again.session()).toBe(session);
			const told = readFileSync(join(lab.nancy.paths.traffic, `${session}.jsonl`), 'utf8');
			expect(told.match(/"cause":"(?:startup|resume)"/g)).toEqual(['"cause":"startup"', '"cause":"resume"']);
		},
	);

	it('says in which mode it goes on once it is resumed', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: 'Begin. [[text:Begun]]', asks: true });
		await worker.idle();
		worker.terminal.type('/set mode yolo\r');
		await worker.terminal.waitForText(/— mode: yolo —/);
		await worker.submit('Go on. [[text:Going on]]');
		await worker.terminal.waitForText(/Going on\s*\n/);
		await worker.idle();
		await worker.terminal.close();
		const again = await lab.start({ prompt: 'And on. [[text:Still here]]', resume: true, asks: true });
		await again.terminal.waitForText(/Still here\s*\n/);
		again.terminal.type('/set mode\r');
		await again.terminal.waitForText(/— mode: default \(/);
		expect(again.terminal.screen()).toMatch(/— the conversation goes on with mode: default —/);
	});

	it('begins a new conversation by /clear, which is the worker’s too', long, async () => {
		await begin();
		await beginsAnewByClear(lab, 'waiter', '[[sh:true]] ');
	});

	it('shows what would be written before it asks', long, async () => {
		const desk = await begin();
		const prompt = `[[write:${lab.workspace.file('new.txt')}|hello]] [[text:Written]]`;
		const worker = await lab.start({ prompt, asks: true });
		const [question] = await desk.asked();
		expect(question).toMatchObject({ tool: 'write_file', body: 'hello', files: [lab.workspace.file('new.txt')] });
		await worker.terminal.waitForText(/(?:^│ \+ |"content": ")hello[^]*Your answer/m);
		worker.terminal.type('n\r');
		expect(await desk.outcome(question)).toMatchObject({ state: 'no-elsewhere' });
		await worker.idle();
		expect(lab.has('new.txt')).toBe(false);
	});

	it(
		'shows what a tool has changed once nobody was asked, and completes a mention of the file by Tab',
		long,
		async () => {
			await begin();
			const worker = await lab.start({
				prompt: `[[write:${lab.workspace.file('noted.txt')}|hello]] [[text:Written]]`,
			});
			await worker.terminal.waitForText(/^ {2}\S*noted\.txt:\n {2}\+ hello[^]*Written/m);
			await worker.idle();
			worker.terminal.type('Read @not');
			await worker.terminal.waitForText(/> Read @not$/m);
			worker.terminal.type('\t');
			await worker.terminal.waitForText(/> Read @noted\.txt$/m);
			worker.terminal.type(' [[text:Looked]]\r');
			await worker.terminal.waitForText(/Looked\s*\n/);
			expect((await lab.seen('Read @noted.txt')).text).toContain('Read @noted.txt');
		},
	);

	it(
		'takes no half-typed answer for one to the next question, and keeps a prompt that was typed before',
		long,
		async () => {
			const desk = await begin();
			const worker = await lab.start({
				prompt: '[[sh:touch begun; sleep 3]] [[sh:touch more]] [[text:Never said]]',
				asks: true,
			});
			const [first] = await desk.asked();
			await worker.terminal.waitForText(/Your answer/);
			worker.terminal.type('y');
			await worker.terminal.waitForText(/Your answer[^\n]*y/);
			await desk.answer(first, { effect: 'once' });
			await lab.made('begun');
			// No line any more: this is the prompt of the next turn.
			await sleep(1500);
			worker.terminal.type('Go on. [[text:Gone on]]\r');
			const [second] = await desk.asked();
			await worker.terminal.waitForText(/more[^]*Your answer/);
			worker.terminal.type('\r');
			worker.terminal.type('n\r');
			expect(await desk.outcome(second)).toMatchObject({ state: 'no-elsewhere' });
			await worker.terminal.waitForText(/Gone on\s*\n/);
			expect(lab.has('more')).toBe(false);
		},
	);

	it('completes its own commands and the agent’s by Tab, and ends by one', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[text:Done]]' });
		await worker.idle();
		for (const [typed, completed] of [
			['/compress-f', /> \/compress-fast/],
			['/exi', /> \/exit/],
		] as const) {
			worker.terminal.type(`\u0015${typed}`);
			await worker.terminal.waitForText(new RegExp(`> ${typed}`));
			// The agent names its commands when it likes, on a busy machine after its first turn.
			await eventually(
				`${typed} is completed`,
				() => {
					worker.terminal.type('\t');
					return completed.test(worker.terminal.screen());
				},
				{ everyMs: 500 },
			);
		}
		const terminal = identify(worker.terminal.pid);
		worker.terminal.type('\r');
		await eventually('it has ended', () => liveness(terminal) === 'dead');
	});

	it('offers no Yes to what the model asks, which the terminal cannot answer', long, async () => {
		await begin();
		const questions = [
			{
				question: 'Which colour?',
				header: 'Colour',
				options: [
					{ label: 'Red', description: 'r' },
					{ label: 'Blue', description: 'b' },
				],
			},
		];
		const worker = await lab.start({
			prompt: `${toolStep('ask_user_question', { questions })} [[text:Over]]`,
			asks: true,
		});
		const screen = await worker.terminal.waitForText(/Which colour\?[^]*Your answer/);
		expect(screen).toMatch(/1\. Cancel\nYour answer/);
		worker.terminal.type('1\r');
		await worker.idle();
	});
});
