import { setTimeout as sleep } from 'node:timers/promises';
import { answerQuestion } from '../../support/answerQuestion.ts';
import { must, notPossible, WORKS, type Cell } from '../cell.ts';
import { copiesOf } from '../evidence.ts';

export const mcpFeedback: Cell = {
	id: 'mcp-feedback',
	title: 'The agent reads its messages by a tool, once its user has said Yes to the call',
	needs: ['tools'],
	about: 'tools',
	triedAnyway: false,
	lab: { asks: true },
	run: async lab => {
		const { nancyTools } = lab.candidate;
		if (nancyTools === 'none') return notPossible(`${lab.driver.displayName} gets no MCP server.`);
		const { call, question, yes } = nancyTools;
		// Some CLIs do not wait for a server before their first request.
		const worker = await lab.start({ prompt: '[[text:First turn]]', asks: true, mcp: true });
		await worker.idle();
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
	},
};

export const mcpBrokenOff: Cell = {
	id: 'mcp-broken-off',
	title: 'A wait for messages that the user breaks off takes none',
	needs: ['tools'],
	triedAnyway: false,
	lab: { asks: true },
	run: async lab => {
		const { nancyTools } = lab.candidate;
		if (nancyTools === 'none') return notPossible(`${lab.driver.displayName} gets no MCP server.`);
		const { call, question, yes } = nancyTools;
		const worker = await lab.start({ prompt: '[[text:First turn]]', asks: true, mcp: true });
		await worker.idle();
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
		const { receipt } = await lab.delivered(worker.address, id);
		must(receipt?.rung !== 'tool', 'the wait took it');
		must(receipt?.lost === undefined, 'it was lost once');
		return WORKS;
	},
};
