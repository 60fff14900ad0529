import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveness } from '../../src/base/liveness.ts';
import { copilotCli } from '../../src/drivers/copilot-cli/driver.ts';
import { conformanceLab, type ConformanceLab, type StartedWorker } from '../conformance/lab.ts';
import { toolStep } from '../support/agents/agentUnderTest.ts';
import { copilotUnderTest } from '../support/agents/copilot.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { long } from '../support/long.ts';

const candidate = { agent: copilotUnderTest, driver: copilotCli, installed: pinnedAgent('copilot') };
const dialog = /Do you want to/;

// What every agent's question shall do is in the conformance suite. One start serves for the rest: each test is a turn of the same session.
describe('a question of the real GitHub Copilot CLI', () => {
	let lab: ConformanceLab;
	let worker: StartedWorker;
	let desk: ReturnType<typeof deskOf>;

	beforeAll(async () => {
		lab = await conformanceLab(candidate, { asks: true, answers: true });
		desk = deskOf(lab.nancy);
		worker = await lab.start({ asks: true });
	});
	afterAll(() => lab[Symbol.asyncDispose]());

	it('is one of two at once, answered in any order: the model reads the words of a No', async () => {
		await worker.submit('[[par:touch one||touch two]] [[text:First over]]');
		const questions = await desk.asked(2);
		const [one, two] = ['touch one', 'touch two'].map(command => questions.find(({ body }) => body === command)!);
		expect(one).toMatchObject({ kind: 'tool', tool: 'bash', bodyIs: 'command', cwd: lab.workspace.path });
		expect(one!.choices).toContainEqual({
			effect: 'session',
			rule: 'shell(touch)',
			keptIn: 'Copilot CLI, until its session ends',
		});
		await worker.terminal.waitForText(dialog);
		expect([lab.has('one'), lab.has('two')]).toEqual([false, false]);
		await desk.answer(two!, { effect: 'once' });
		await lab.made('two');
		expect(lab.has('one')).toBe(false);
		await desk.answer(one!, { effect: 'no', words: 'Use the other folder.' });
		await lab.seen('Use the other folder.');
		for (const question of [one!, two!]) expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
		await worker.terminal.waitForText(/First over/);
		await worker.idle();
		expect(lab.has('one')).toBe(false);
	});

	it('is answered too late at the desk once the terminal has answered: the first answer counts', async () => {
		await worker.submit('[[sh:touch late]] [[text:Second over]]');
		const [question] = await desk.asked();
		// Until it goes on, it learns of neither answer.
		process.kill(question.holder.pid, 'SIGSTOP');
		await answerQuestion(worker.terminal, dialog, copilotUnderTest.yes);
		await lab.made('late');
		await desk.answer(question, { effect: 'no', words: 'Too late.' });
		process.kill(question.holder.pid, 'SIGCONT');
		expect(await desk.outcome(question)).toMatchObject({ state: 'late' });
		await worker.terminal.waitForText(/Second over/);
		await worker.idle();
	});

	it('is the model’s form, with a label, labels and a text of the person’s own', async () => {
		const properties = {
			color: { type: 'string', title: 'Which colour', enum: ['red', 'blue'] },
			sizes: { type: 'array', title: 'Which sizes', items: { type: 'string', enum: ['S', 'M', 'L'] } },
			name: { type: 'string', title: 'Which name' },
			sure: { type: 'boolean', title: 'Sure' },
		};
		const form = { message: 'Some facts, please.', requestedSchema: { type: 'object', properties } };
		await worker.submit(`${toolStep('ask_user', form)} ${toolStep('ask_user', form)} [[text:Never said]]`);
		const [question] = await desk.asked();
		expect(question).toMatchObject({ kind: 'choice', tool: 'ask_user', title: 'Some facts, please.' });
		await desk.answer(question, {
			effect: 'once',
			values: {
				'Which colour': ['blue'],
				'Which sizes': ['S', 'L'],
				'Which name': ['Grace, of course'],
				Sure: ['true'],
			},
		});
		await lab.seen('User responded: color=blue, sizes=S, L, name=Grace, of course, sure=true');
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
		const [again] = await desk.asked();
		await desk.answer(again, { effect: 'end' });
		expect(await desk.outcome(again)).toMatchObject({ state: 'applied' });
		await worker.idle();
		expect(worker.terminal.screen()).not.toMatch(/^ ● Never said/m);
	});

	it('is answered for the session: the rule that was shown lets the next command run', long, async () => {
		await worker.submit('[[sh:mkdir a]] [[sh:mkdir b]] [[sh:touch c]] [[text:Never said either]]');
		const [question] = await desk.asked();
		await desk.answer(question, { effect: 'session' });
		await lab.made('b');
		const [next] = await desk.asked();
		expect(next.body).toBe('touch c');
		await desk.answer(next, { effect: 'end' });
		expect(await desk.outcome(next)).toMatchObject({ state: 'applied' });
		await worker.idle();
		expect(lab.has('c')).toBe(false);
		expect(worker.terminal.screen()).not.toMatch(/^ ● Never said either/m);
	});

	// Last: the CLI moves a subagent that has worked for some seconds to the background, and tells the model later.
	it('shows an edit as its diff, a folder outside and the subagent that asks; and outlives the extension, but not the CLI', async () => {
		const file = lab.workspace.file('new.txt');
		if (copilotUnderTest.subagent === 'none') throw new Error('it has no subagents');
		await worker.submit(copilotUnderTest.subagent(`[[write:${file}|hello]] [[sh:touch /opt/never]] [[text:Over]]`));
		const [edit] = await desk.asked();
		expect(edit).toMatchObject({ bodyIs: 'diff', subagentName: 'general-purpose', files: [file] });
		expect(edit.body).toContain('+hello');
		await desk.answer(edit, { effect: 'once' });
		expect(await desk.outcome(edit)).toMatchObject({ state: 'applied' });
		const [outside] = await desk.asked();
		expect(outside).toMatchObject({ tool: 'bash', body: 'touch /opt/never', files: ['/opt/never'] });
		expect(outside.choices.map(({ effect }) => effect)).toEqual(['once', 'no', 'end']);
		const extension = parentOf(outside.holder.pid);
		const agent = parentOf(extension);
		await worker.terminal.waitForText(dialog);
		process.kill(extension, 'SIGKILL');
		expect(await desk.outcome(outside)).toMatchObject({ state: 'ended' });
		// Long enough for a CLI to take the end of the extension for an answer.
		await sleep(2000);
		expect(worker.terminal.screen()).toMatch(dialog);
		process.kill(agent, 'SIGKILL');
		await eventually('no holder', () => liveness(outside.holder) === 'dead');
		expect(existsSync('/opt/never')).toBe(false);
	});
});

describe('a person who does not let Nancy answer', () => {
	it('keeps an agent that works, reports and asks in its terminal alone', async () => {
		const agent = {
			...copilotUnderTest,
			answering: {
				...(copilotUnderTest.answering as object),
				keys: '\u001b',
			} as typeof copilotUnderTest.answering,
		};
		await using lab = await conformanceLab({ ...candidate, agent }, { asks: true, answers: true });
		const desk = deskOf(lab.nancy);
		const worker = await lab.start({ prompt: '[[sh:touch made]] [[text:Over]]', asks: true });
		await lab.becomes(worker.address, 'waiting for an answer', ({ state }) => state.phase === 'waiting');
		expect(await desk.open()).toEqual([]);
		await answerQuestion(worker.terminal, dialog, copilotUnderTest.yes);
		await lab.made('made');
		// The other extension is there.
		await worker.idle();
		await lab.send(worker.address, 'Wake up. [[text:Woken]]', { kind: 'feedback' });
		await lab.seen('Wake up.');
	});
});

/** Of a process of this machine. */
function parentOf(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
