import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { WAKE_PROMPT } from '../../src/core/driver/hooks.ts';
import { noTo } from '../../src/core/questions/reply.ts';
import { answerQuestion as answerThere } from '../../src/operations/answerQuestion.ts';
import { perform } from '../../src/operations/operation.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { signal } from '../../src/process/signal.ts';
import type { Receipt } from '../../src/protocol/records.ts';
import type { ConformanceLab, StartedWorker } from '../conformance/lab.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import type { deskOf } from '../support/desk.ts';
import { contextOf } from '../support/operationContext.ts';
import { readAgain } from '../support/servedAgents.ts';

type Desk = ReturnType<typeof deskOf>;
type Asked = Parameters<Desk['answer']>[0];

/** A conversation knows after a resume what was said before. */
export async function goesOnOnceResumed(lab: ConformanceLab): Promise<void> {
	const worker = await lab.start({ prompt: 'The door is blue. [[text:It is blue]]' });
	await worker.idle();
	const session = await worker.session();
	await worker.terminal.close();
	const again = await lab.start({ prompt: 'Which door? [[text:The blue one]]', resume: true });
	expect((await lab.seen('Which door?')).text).toContain('The door is blue.');
	await again.terminal.waitForText(/The blue one\s*\n/);
	await again.idle();
	expect(await again.session()).toBe(session);
}

/**
 * `/clear` begins a conversation that knows nothing of the one before, and is the worker's too.
 * @param rung of the wake afterwards
 * @param tool a step of the first turn
 */
export async function beginsAnewByClear(lab: ConformanceLab, rung: Receipt['rung'], tool = ''): Promise<void> {
	const worker = await lab.start({ prompt: 'The door is blue. [[text:It is blue]]' });
	await worker.idle();
	const session = await worker.session();
	worker.terminal.type('/clear\r');
	await worker.terminal.waitForText(/— a new conversation —/);
	await worker.submit(`Which door? ${tool}[[text:I see none]]`);
	expect((await lab.seen('Which door?')).text).not.toContain('The door is blue.');
	await worker.terminal.waitForText(/I see none\s*\n/);
	await worker.idle();
	expect(await worker.session()).not.toBe(session);
	const wake = await lab.send(worker.address, 'Look again. [[text:Looked]]', { kind: 'feedback' });
	await lab.seen('Look again.');
	expect(await lab.delivered(worker.address, wake)).toMatchObject({ receipt: { rung } });
}

/**
 * A question on a watched screen has a No at the desk alone, and goes from there with a Yes in the terminal.
 * @param said what the screen shows at the end of the turn
 */
export async function standsUntilAnsweredInTerminal(
	lab: ConformanceLab,
	worker: StartedWorker,
	desk: Desk,
	said: RegExp,
): Promise<void> {
	const agent = lab.candidate;
	const [asked] = await desk.asked();
	expect(asked).toMatchObject({
		kind: 'tool',
		tool: 'run_shell_command',
		body: 'touch made',
		bodyIs: 'command',
		choices: [{ effect: 'end', isMute: true }],
		session: await worker.session(),
	});
	expect(worker.terminal.screen()).toMatch(agent.question);
	worker.terminal.type(agent.yes);
	await lab.made('made');
	expect(await desk.outcome(asked)).toMatchObject({ state: 'yes-elsewhere' });
	await worker.terminal.waitForText(said);
	await worker.idle();
}

/** An idle agent in a watched terminal is woken twice by keys. */
export async function isWokenByTyping(lab: ConformanceLab, worker: StartedWorker): Promise<void> {
	for (const words of ['Look at the log.', 'And at the tests.']) {
		const id = await lab.send(worker.address, `${words} [[text:Looked]]`, { kind: 'feedback' });
		expect((await lab.seen(words)).text).toContain(WAKE_PROMPT);
		expect(await lab.delivered(worker.address, id)).toMatchObject({ receipt: { rung: 'keys' } });
		await worker.idle();
	}
	expect(lab.candidate.complaint.test(worker.terminal.screen())).toBe(false);
}

/** In milliseconds: longer than a wake takes. */
export const LONGER_MS = 6000;

export async function countQueued(lab: ConformanceLab, { address }: StartedWorker): Promise<number> {
	return (await lab.nancy.mailbox(address).list(['queued'])).messages.length;
}

/**
 * A draft is half typed into an idle agent in a watched terminal: no message wakes it before the draft is gone.
 * @param mark a regular expression: what its input line begins with
 */
export async function keepsHalfTypedDraft(lab: ConformanceLab, worker: StartedWorker, mark: string): Promise<void> {
	worker.terminal.type('half a thought');
	await worker.terminal.waitForText(new RegExp(`${mark} half a thought`));
	const id = await lab.send(worker.address, 'While you type. [[text:Looked]]');
	const before = lab.requests().length;
	await sleep(LONGER_MS);
	expect(worker.terminal.screen()).toMatch(new RegExp(`${mark} half a thought\\s*\\n`));
	expect(await countQueued(lab, worker)).toBe(1);
	expect(lab.requests().length).toBe(before);
	for (const _ of 'half a thought') worker.terminal.type('\u007f');
	await lab.seen('While you type.');
	expect(await lab.delivered(worker.address, id)).toMatchObject({ receipt: { rung: 'keys' } });
	expect(lab.requests().some(({ text }) => text.includes('half a thought'))).toBe(false);
	await worker.idle();
}

/** An agent asks for `touch made`, gets a Yes from the desk, then asks for `touch more`, and gets a No in its terminal. */
export async function hearsDeskAndTerminal(
	lab: ConformanceLab,
	worker: StartedWorker,
	desk: Desk,
	first: Asked,
): Promise<void> {
	await worker.terminal.waitForText(/touch made[^]*Your answer/);
	await runsByTheDesk(lab, desk, first);
	const [second] = await desk.asked();
	await worker.terminal.waitForText(/touch more[^]*Your answer/);
	await answerQuestion(worker.terminal, /Your answer[^\n]*\s*$/, 'n\r');
	expect(await desk.outcome(second)).toMatchObject({ state: 'no-elsewhere' });
	await worker.idle();
	expect(lab.has('more')).toBe(false);
}

/** Its question about `touch made` gets a Yes from the desk, which is applied. */
export async function runsByTheDesk(lab: ConformanceLab, desk: Desk, asked: Asked): Promise<void> {
	expect(lab.has('made')).toBe(false);
	await desk.answer(asked, { effect: 'once' });
	await lab.made('made');
	expect(await desk.outcome(asked)).toMatchObject({ state: 'applied' });
}

/** An agent is killed, with its terminal or without, while its model's answer is held. Resumed, it reads these words again. */
export async function readsAgainOnceKilled(
	lab: ConformanceLab,
	worker: StartedWorker,
	{ how, letGo, words }: { how: string; letGo: () => void; words: string },
): Promise<void> {
	const before = lab.requests().length;
	const below = descendantsOf(worker.terminal.pid, await processTable());
	for (const pid of how === 'without' ? below : []) signal(pid, 'SIGKILL');
	if (how === 'with') signal(-worker.terminal.pid, 'SIGKILL');
	await worker.terminal.ended;
	letGo();
	const again = await lab.start({ resume: true, prompt: 'Go on. [[text:Going on]]' });
	await readAgain(lab, again, words, before);
}

/** The CLI takes no words with its No: they reach the model as a message, which the agent hears also where the No has ended its turn. */
export async function hearsWhyNot(lab: ConformanceLab, { id, digest, choices }: Asked): Promise<void> {
	const words = 'Leave that to me. [[text:Left alone]]';
	const input = { question: id, digest, reply: { effect: noTo({ choices }), words } };
	const { message } = await perform(answerThere, IN_TERMINAL, input, contextOf(lab.workspace, lab.nancy));
	expect(message).toBeDefined();
	await lab.seen('Leave that to me.');
}
