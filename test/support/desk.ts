import { Questions } from '../../src/core/questions/questions.ts';
import { settleAll } from '../../src/core/questions/settle.ts';
import { Collector } from '../../src/core/live/collector.ts';
import type { Workspace } from '../../src/core/workspace/workspace.ts';
import { allDrivers } from '../../src/drivers/index.ts';
import type { Question, Reply } from '../../src/protocol/question.ts';
import { eventually } from './eventually.ts';

/** The desk of a workspace, as any window looks at it. */
export function deskOf(nancy: Workspace) {
	const desk = new Questions(nancy.own);
	const open = async () => (await desk.open()).filter(({ answer }) => !answer).map(({ question }) => question);
	const look = async () => {
		const collector = new Collector(nancy, allDrivers);
		await collector.collect();
		await collector.close();
		await settleAll(desk, { paths: nancy.paths, drivers: allDrivers });
	};
	return {
		folder: desk.folder,
		open,
		all: () => desk.all(),
		/** The open questions, once there are so many. */
		asked: (count = 1) => eventually(`${count} questions`, async () => atLeast(count, await open())),
		answer: (question: Question, reply: Reply) =>
			desk.answer({
				version: 1,
				question: question.id,
				digest: question.digest,
				...reply,
				by: 'vscode',
				at: new Date().toISOString(),
			}),
		outcome: (question: Question) =>
			eventually('an outcome', async () => {
				await look();
				return desk.readOutcome(question.id);
			}),
	};
}

/** At least one. */
function atLeast(count: number, questions: readonly Question[]): readonly [Question, ...Question[]] | undefined {
	const [first, ...others] = questions;
	return first && questions.length >= count ? [first, ...others] : undefined;
}
