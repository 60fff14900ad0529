import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf, processTable } from '../../../src/process/processTable.ts';
import type { MessageId } from '../../../src/protocol/names.ts';
import { answerQuestion } from '../../support/answerQuestion.ts';
import { must, notPossible, WORKS, type Cell, type Verdict } from '../cell.ts';
import { eventually } from '../../support/eventually.ts';
import { copiesOf } from '../evidence.ts';
import type { ConformanceLab, StartedWorker } from '../lab.ts';

interface Served {
	lab: ConformanceLab;
	worker: StartedWorker;
	/** A step that calls a tool of the server. */
	call: (tool: string) => string;
	/** What the user is asked first, and the keys that agree. */
	question: RegExp;
	yes: string;
}

/** With a worker that has the server. Some CLIs do not wait for a server before their first request: that one is over. */
function withServer(run: (served: Served) => Promise<Verdict>): Cell['run'] {
	return async lab => {
		const { nancyTools } = lab.candidate;
		if (nancyTools === 'none') return notPossible(`${lab.driver.displayName} gets no MCP server.`);
		const worker = await lab.start({ prompt: '[[text:First turn]]', asks: true, mcp: true });
		await worker.idle();
		return run({ lab, worker, ...nancyTools });
	};
}

/** Of a message that was sent after a wait was over: a hook has handed it over, and it was never lost. */
async function mustHaveWaited(lab: ConformanceLab, { address }: StartedWorker, id: MessageId): Promise<void> {
	const { receipt } = await lab.delivered(address, id);
	must(receipt?.rung !== 'tool', 'the wait took it');
	must(receipt?.lost === undefined, 'it was lost once');
}

export const mcpFeedback: Cell = {
	id: 'mcp-feedback',
	title: 'The agent reads its messages by a tool, once its user has said Yes to the call',
	needs: ['tools'],
	about: 'tools',
	triedAnyway: false,
	lab: { asks: true },
	run: withServer(async ({ lab, worker, call, question, yes }) => {
		await worker.submit(`${call('get_feedback')} [[text:Read]]`);
		await worker.terminal.waitForText(question);
		const id = await lab.send(worker.address, 'Take plan B.', { kind: 'feedback' });
		await sleep(1000);
		const { messages } = await lab.nancy.mailbox(worker.address).list(['queued']);
		must(messages.length === 1, 'the tool ran unasked');
		await answerQuestion(worker.terminal, question, yes);
		await lab.seen('Take plan B.');
		const { receipt } = await lab.delivered(worker.address, id);
		must(receipt?.rung === 'tool', `its receipt names the rung ${receipt?.rung}`);
		await worker.idle();
		const last = lab.requests().at(-1);
		must(last !== undefined && copiesOf(last, 'Take plan B.') === 1, 'the model reads it twice');
		return WORKS;
	}),
};

export const mcpBrokenOff: Cell = {
	id: 'mcp-broken-off',
	title: 'A wait for messages that the user breaks off takes none',
	needs: ['tools'],
	triedAnyway: false,
	lab: { asks: true },
	run: withServer(async ({ lab, worker, call, question, yes }) => {
		await worker.submit(`${call('wait_for_feedback')} [[text:Unreached]]`);
		await answerQuestion(worker.terminal, question, yes);
		// No CLI reports that a call goes on after a Yes.
		await sleep(2000);
		await worker.interrupt();
		await worker.idle();
		const id = await lab.send(worker.address, 'Sent after the wait.', { kind: 'feedback' });
		await sleep(1000);
		await worker.submit('[[text:Second turn]]');
		await lab.seen('Sent after the wait.');
		await mustHaveWaited(lab, worker, id);
		return WORKS;
	}),
};

/** One line of 17 kB, in which no word stands twice. */
const LONG = Array.from({ length: 3000 }, (_, number) => `w${number}`).join(' ');
const LAST = 'w2999';

/** No CLI is handed less than 8 kB in a call. */
const MOST_PARTS = 4;

export const mcpLong: Cell = {
	id: 'mcp-long',
	title: 'A message of 17 kB that the agent asks for is read whole',
	needs: ['tools'],
	triedAnyway: false,
	lab: { asks: true },
	run: withServer(async ({ lab, worker, call, question, yes }) => {
		const calls = Array.from({ length: MOST_PARTS }, () => call('get_feedback'));
		await worker.submit(`${calls.join(' ')} [[text:Read]]`);
		// While the user is asked, no hook hands it over.
		await worker.terminal.waitForText(question);
		const id = await lab.send(worker.address, LONG, { kind: 'feedback' });
		await eventually(
			'the whole of it',
			async () => {
				if (question.test(worker.terminal.screen())) worker.terminal.type(yes);
				return lab.requests().at(-1)?.text.includes(LAST);
			},
			{ everyMs: 1500 },
		);
		const text = lab.requests().at(-1)?.text ?? '';
		const missing = LONG.split(' ').filter(word => !new RegExp(String.raw`\b${word}\b`).test(text));
		must(missing.length === 0, `the last request lacks ${missing.length} words, ${missing[0]} first`);
		const { receipt } = await lab.delivered(worker.address, id);
		must(receipt?.rung === 'tool', `its receipt names the rung ${receipt?.rung}`);
		return WORKS;
	}),
};

export const mcpKilled: Cell = {
	id: 'mcp-killed',
	title: 'A wait for messages whose server is killed takes none',
	needs: ['tools'],
	triedAnyway: false,
	lab: { asks: true },
	run: withServer(async ({ lab, worker, call, question, yes }) => {
		await worker.submit(`${call('wait_for_feedback')} [[text:Wait over]]`);
		await answerQuestion(worker.terminal, question, yes);
		// No CLI reports that a call goes on after a Yes.
		await sleep(2000);
		const below = descendantsOf(worker.terminal.pid, await processTable());
		const servers = below.filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('\0mcp\0'));
		must(servers.length > 0, 'there is no server');
		for (const pid of servers) process.kill(pid, 'SIGKILL');
		const id = await lab.send(worker.address, 'Sent after the server.', { kind: 'feedback' });
		await lab.seen('Sent after the server.');
		await worker.idle();
		await mustHaveWaited(lab, worker, id);
		const last = lab.requests().at(-1);
		must(last !== undefined && copiesOf(last, 'Sent after the server.') === 1, 'the model reads it twice');
		return WORKS;
	}),
};
