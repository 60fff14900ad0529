import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { sessionBinding } from '../../src/core/sessions/bindings.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { isAfter } from '../conformance/evidence.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { toolStep } from '../support/agents/agentUnderTest.ts';
import { claudeCodeUnderTest } from '../support/agents/claudeCode.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { beginsAnewByClear, goesOnOnceResumed, runsByTheDesk } from './stories.ts';

describe('a conversation with the real Claude Code in a terminal of Nancy’s own', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	/** @param asking of the user's own settings */
	const begin = async (asking = {}) => {
		const agent = { ...claudeCodeUnderTest, asking };
		const candidate = { agent, driver: claudeCode, installed: pinnedAgent('claude-code') };
		lab = await conformanceLab(candidate, { talked: true, asks: true });
		return deskOf(lab.nancy);
	};
	const dialog = /Your answer[^\n]*\s*$/;

	it('asks once, in the terminal and at the desk, and the first answer counts', async () => {
		const desk = await begin();
		const worker = await lab.start({
			prompt: '[[sh:touch made]] [[sh:touch more; sleep 4]] [[sh:touch never]] [[text:All said]]',
			asks: true,
		});
		const [first] = await desk.asked();
		expect(first).toMatchObject({
			kind: 'tool',
			tool: 'Bash',
			body: 'touch made',
			bodyIs: 'command',
			session: await worker.session(),
		});
		await worker.terminal.waitForText(/touch made[^]*Your answer/);
		await lab.becomes(worker.address, 'waiting', ({ state }) => state.phase === 'waiting');
		expect(await desk.open()).toHaveLength(1);
		await runsByTheDesk(lab, desk, first);
		const [second] = await desk.asked();
		// The next question has the same words below.
		await answerQuestion(worker.terminal, /touch more(?![^]*touch never)[^]*Your answer[^\n]*\s*$/, 'y\r');
		await lab.made('more');
		expect(await desk.outcome(second)).toMatchObject({ state: 'yes-elsewhere' });
		const [third] = await desk.asked();
		await desk.answer(third, { effect: 'no', words: 'Not here.' });
		await lab.seen('The user said no: Not here.');
		expect(await desk.outcome(third)).toMatchObject({ state: 'applied' });
		await worker.terminal.waitForText(/All said/);
		await worker.idle();
		expect(lab.has('never')).toBe(false);
		expect(await desk.all()).toHaveLength(3);
	});

	it('takes a No with words, one that ends the turn, and Esc for such a one', async () => {
		const desk = await begin();
		const worker = await lab.start({ prompt: '[[sh:touch a; sleep 1]] [[sh:touch b]] [[text:Never]]', asks: true });
		const [first] = await desk.asked();
		await worker.terminal.waitForText(/touch a[^]*Your answer/);
		worker.terminal.type('w\r');
		await worker.terminal.waitForText(/Say why: *$/);
		worker.terminal.type('Use pnpm.\r');
		await lab.seen('The user said no: Use pnpm.');
		expect(await desk.outcome(first)).toMatchObject({ state: 'no-elsewhere' });
		const [second] = await desk.asked();
		await worker.terminal.waitForText(/touch b[^]*Your answer/);
		worker.terminal.type('e\r');
		await worker.terminal.waitForText(/— interrupted —/);
		expect(await desk.outcome(second)).toMatchObject({ state: 'no-elsewhere' });
		await worker.idle();
		await worker.submit('[[sh:touch c]] [[text:Never]]');
		const [third] = await desk.asked();
		await worker.terminal.waitForText(/touch c[^]*Your answer/);
		await worker.interrupt();
		await worker.terminal.waitForText(/interrupted[^]*interrupted/);
		expect(await desk.outcome(third)).toMatchObject({ state: 'no-elsewhere' });
		await worker.idle();
		// A line of the first moment may have been meant for the question: a person types it again.
		await sleep(1500);
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again\s*\n/);
		expect(['a', 'b', 'c'].filter(each => lab.has(each))).toEqual([]);
	});

	it('says the whole scope of a Yes that lasts, and the CLI keeps its rule', long, async () => {
		const desk = await begin();
		const worker = await lab.start({ prompt: '[[sh:touch a]] [[sh:touch a b]] [[text:Both]]', asks: true });
		await desk.asked();
		await worker.terminal.waitForText(
			/3\. Yes, always in this folder: Bash\(touch a \*\), kept in\s+\.claude\/settings\.local\.json/,
		);
		await answerQuestion(worker.terminal, dialog, '3\r');
		await worker.terminal.waitForText(/Both\s*\n/);
		expect(lab.has('b')).toBe(true);
		expect(readFileSync(lab.workspace.file('.claude/settings.local.json'), 'utf8')).toContain('"Bash(touch a *)"');
		expect(await desk.all()).toHaveLength(1);
	});

	it('reads a directive between two tools and feedback when it would stop, and is woken while it is idle', async () => {
		await begin();
		const worker = await lab.start({ prompt: `${lab.held} [[sh:true]] [[text:First end]]` });
		await lab.made('begun');
		const directive = await lab.send(worker.address, 'Use the other port.');
		const feedback = await lab.send(worker.address, 'Well done. [[text:Second end]]', { kind: 'feedback' });
		lab.letGo();
		expect(isAfter(await lab.seen('Use the other port.'), 'First end')).toBe(false);
		expect(isAfter(await lab.seen('Well done.'), 'First end')).toBe(true);
		expect(await lab.delivered(worker.address, directive)).toMatchObject({ receipt: { rung: 'hook' } });
		expect(await lab.delivered(worker.address, feedback)).toMatchObject({ receipt: { rung: 'hook' } });
		await worker.terminal.waitForText(/Second end\s*\n/);
		await worker.idle();
		worker.terminal.type('half a thought');
		await worker.terminal.waitForText(/> half a thought/);
		const wake = await lab.send(worker.address, 'Look at the log. [[text:Looked]]', { kind: 'feedback' });
		await lab.seen('Look at the log.');
		expect(await lab.delivered(worker.address, wake)).toMatchObject({ receipt: { rung: 'wake' } });
		await worker.terminal.waitForText(/goes on by itself[^]*Looked\s*\n/);
		await worker.idle();
		expect(lab.requests().filter(({ text }) => text.includes('half a thought'))).toEqual([]);
		await worker.submit(': [[text:The whole of it]]');
		expect((await lab.seen('half a thought: ')).text).toContain('Look at the log.');
	});

	it('is interrupted with the tool that runs, and woken by what came before', async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 1000; touch never]] [[text:Never said]]' });
		await lab.made('begun');
		const before = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
		// Beyond the late rings of the session's start, which would wake it too.
		await sleep(11_000);
		const message = await lab.send(worker.address, 'Stop there. [[text:Stopped]]', { kind: 'feedback' });
		// The bell has rung while it was at work.
		await eventually('its hook has heard the bell', () =>
			readdirSync(lab.nancy.paths.spool).some(name => name.includes('~FileChanged~')),
		);
		await worker.interrupt();
		await worker.terminal.waitForText(/— interrupted —/);
		await lab.seen('Stop there.');
		expect(await lab.delivered(worker.address, message)).toMatchObject({ receipt: { rung: 'wake' } });
		await worker.terminal.waitForText(/Stopped\s*\n/);
		await worker.idle();
		expect(before.filter(each => liveness(each) === 'dead').length).toBeGreaterThan(0);
		expect(lab.has('never')).toBe(false);
	});

	it('asks no more what a subagent wanted, once its user breaks off the turn that waits for it', async () => {
		const desk = await begin();
		const task = {
			description: 'Look',
			prompt: '[[sh:touch never]] [[text:Over]]',
			subagent_type: 'general-purpose',
			run_in_background: false,
		};
		const worker = await lab.start({ prompt: `${toolStep('Agent', task)} [[text:Sent]]`, asks: true });
		const [question] = await desk.asked();
		expect(question).toMatchObject({ body: 'touch never' });
		await worker.terminal.waitForText(/Your answer/);
		await worker.interrupt();
		await worker.terminal.waitForText(/— interrupted —/);
		expect(await desk.outcome(question)).toMatchObject({ state: 'no-elsewhere' });
		expect(lab.has('never')).toBe(false);
	});

	it.each(['SIGHUP', 'SIGKILL'] as const)('ends with all that it runs when its terminal ends by %s', async signal => {
		await begin();
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 1000]] [[text:Never said]]' });
		await lab.made('begun');
		const below = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
		expect(below.length).toBeGreaterThan(1);
		process.kill(worker.terminal.pid, signal);
		await eventually('all of it has ended', () => below.every(each => liveness(each) === 'dead'));
		await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
	});

	it(
		'starts another Claude Code by its Bash tool, which nobody talks with: its bell leaves no hook behind',
		long,
		async () => {
			await begin();
			const inner = SessionId.parse(randomUUID());
			const { executable } = pinnedAgent('claude-code');
			writeFileSync(lab.workspace.file('asked'), `${lab.held} [[text:Inner end]]`);
			const words = `-p "$(cat asked)" --session-id ${inner} --allowedTools Bash`;
			const worker = await lab.start({ prompt: `[[sh:${executable} ${words} >said 2>&1]] [[text:Outer end]]` });
			await lab.made('begun');
			// Beyond the late rings of the session's start.
			await sleep(11_000);
			const binding = await sessionBinding(lab.nancy, inner);
			if (!binding) throw new Error('it has no mailbox');
			const rings = () => readdirSync(lab.nancy.paths.spool).filter(name => name.includes('~FileChanged~'));
			expect(rings()).toEqual([]);
			await lab.send(binding.address, 'Well done.', { kind: 'feedback' });
			await eventually('its hook has heard the bell', () => rings().length > 0);
			const commands = () => spawnSync('ps', ['-axwwo', 'args='], { encoding: 'utf8' }).stdout.split('\n');
			const ofBell = (command: string) => command.includes(lab.workspace.path) && command.includes('FileChanged');
			await eventually('the hook has ended', () => !commands().some(ofBell));
			lab.letGo();
			await worker.terminal.waitForText(/Outer end\s*\n/);
		},
	);

	it('goes on with the same conversation once it is resumed', async () => {
		await begin();
		await goesOnOnceResumed(lab);
	});

	it('begins with a copy of another conversation', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: 'The door is blue. [[text:It is blue]]' });
		await worker.idle();
		const copy = await lab.start({ prompt: 'Which door? [[text:The blue one]]', fork: worker.address.worker });
		expect((await lab.seen('Which door?')).text).toContain('The door is blue.');
		await copy.idle();
		expect(await copy.session()).not.toBe(await worker.session());
	});

	it.each(['SIGHUP', 'SIGKILL'] as const)(
		'allows nothing when its terminal ends by %s at a question',
		async signal => {
			const desk = await begin();
			const worker = await lab.start({ prompt: '[[sh:touch never]] [[text:Never said]]', asks: true });
			const [question] = await desk.asked();
			await worker.terminal.waitForText(/touch never[^]*Your answer/);
			const below = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
			process.kill(worker.terminal.pid, signal);
			await eventually('all of it has ended', () => below.every(each => liveness(each) === 'dead'));
			// A terminal that is closed counts as a No, where Nancy's program still hears of it.
			expect(['ended', 'no-elsewhere']).toContain((await desk.outcome(question)).state);
			expect(lab.has('never')).toBe(false);
		},
	);

	it('reads a line that is typed while it works before its next step, and says so', async () => {
		await begin();
		const worker = await lab.start({ prompt: `${lab.held} [[sh:true]] [[text:All done]]` });
		await lab.made('begun');
		worker.terminal.type('Use tabs.\r');
		await worker.terminal.waitForText(/— sent: the agent reads it before its next step —/);
		lab.letGo();
		const steered = await lab.seen('The user sent a new message while you were working:\nUse tabs.');
		expect(isAfter(steered, 'All done')).toBe(false);
		await worker.terminal.waitForText(/— It has read: Use tabs\. —[^]*All done\s*\n/);
		await worker.idle();
	});

	it('takes a pasted text with several lines for one prompt', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[text:Ready]]' });
		await worker.idle();
		worker.terminal.type('\u001b[200~First line.\nSecond line. [[text:Both read]]\u001b[201~');
		await worker.terminal.waitForText(/Second line/);
		worker.terminal.type('\r');
		expect((await lab.seen('Second line.')).text).toContain('First line.\nSecond line.');
		await worker.terminal.waitForText(/Both read\s*\n/);
		await worker.idle();
	});

	it('shows an error of its model, and goes on', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[err:400]]' });
		await worker.terminal.waitForText(/✗ API Error: 400/);
		await worker.idle();
		worker.terminal.type('/clear\r');
		await worker.terminal.waitForText(/— a new conversation —/);
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again\s*\n/);
		await worker.idle();
	});

	it('ends with an error when its CLI is killed in the middle of a turn', async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 1000]] [[text:Never said]]' });
		await lab.made('begun');
		const [agent, ...tools] = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
		const terminal = identify(worker.terminal.pid);
		if (agent) process.kill(agent.pid, 'SIGKILL');
		await worker.terminal.waitForText(/The agent has ended\./);
		await eventually('the terminal has ended', () => liveness(terminal) === 'dead');
		await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
		for (const { pid } of tools.filter(each => liveness(each) === 'alive')) process.kill(pid, 'SIGKILL');
	});

	it('begins a new conversation by /clear, which is the worker’s too', async () => {
		await begin();
		await beginsAnewByClear(lab, 'wake', '[[sh:true]] ');
	});

	it('shows an edit as its diff, and asks in the terminal what the model wants to know', async () => {
		const desk = await begin();
		const file = lab.workspace.file('a.txt');
		writeFileSync(file, 'one\ntwo\n');
		const edit = { file_path: file, old_string: 'two', new_string: 'three', replace_all: false };
		const questions = [
			{
				question: 'Which colour?',
				header: 'Colour',
				multiSelect: false,
				options: [
					{ label: 'Red', description: 'r' },
					{ label: 'Blue', description: 'b' },
				],
			},
		];
		const worker = await lab.start({
			prompt: `[[read:${file}]] ${toolStep('Edit', edit)} ${toolStep('AskUserQuestion', { questions })} [[text:Over]]`,
			asks: true,
		});
		const [change] = await desk.asked();
		expect(change).toMatchObject({ tool: 'Edit', bodyIs: 'diff', body: '-two\n+three', files: [file] });
		await worker.terminal.waitForText(/│ - two\s+│ \+ three[^]*Your answer/);
		worker.terminal.type('y\r');
		await eventually('the file has changed', () => readFileSync(file, 'utf8').includes('three'));
		const [choice] = await desk.asked();
		expect(choice).toMatchObject({ kind: 'choice', title: 'Which colour?' });
		await worker.terminal.waitForText(/Which colour[^]*Your answer \(y/);
		worker.terminal.type('y\r');
		await worker.terminal.waitForText(/2\. Blue {2}b\s+Your answer \(a number, or words\): *$/);
		worker.terminal.type('2\r');
		expect((await lab.seen('"Which colour?"="Blue"')).text).toContain('answered');
		expect(await desk.outcome(choice)).toMatchObject({ state: 'yes-elsewhere' });
		await worker.idle();
	});

	it('shows a plan as its text, and goes on by it after a Yes', async () => {
		const desk = await begin({ permissions: { defaultMode: 'plan' } });
		const worker = await lab.start({ prompt: '[[text:Hello]]', asks: true });
		await worker.idle();
		// The CLI takes the plan from a file that it names to the model.
		const said = lab
			.requests()
			.map(({ text }) => text)
			.join('\n');
		const [file] = /\S+\/plans\/[\w.-]+\.md/.exec(said) ?? expect.unreachable();
		const load = toolStep('ToolSearch', { query: 'select:ExitPlanMode', max_results: 1 });
		await worker.submit(`[[write:${file}|# Build it]] ${load} ${toolStep('ExitPlanMode', {})} [[text:Built]]`);
		const [plan] = await desk.asked();
		expect(plan).toMatchObject({ kind: 'plan', title: 'Build it', body: '# Build it' });
		await worker.terminal.waitForText(
			/│ Its plan:\s+│ # Build it[^]*2\. Yes, and until this session ends: acceptEdits/,
		);
		worker.terminal.type('y\r');
		await lab.seen('User has approved your plan');
		await worker.terminal.waitForText(/Built\s*\n/);
		await worker.idle();
		expect(await desk.outcome(plan)).toMatchObject({ state: 'yes-elsewhere' });
	});
});
