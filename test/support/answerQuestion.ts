import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import type { Terminal } from './terminal.ts';

/** Answers a question on an agent's screen as a person does: after a moment, for a key that comes as it is drawn may be lost. */
export async function answerQuestion(
	agent: Terminal,
	question: RegExp,
	keys: string,
	timeoutMs?: number,
): Promise<void> {
	await agent.waitForText(question, timeoutMs);
	await eventually(
		`an answer to ${question}`,
		async () => {
			await sleep(500);
			if (question.test(agent.screen())) agent.type(keys);
			await sleep(1500);
			return !question.test(agent.screen());
		},
		{ timeoutMs },
	);
}
