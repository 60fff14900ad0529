import assert from 'node:assert/strict';
import type { LiveQuestion } from '../../src/core/live/liveQuestions.ts';
import { newQuestion } from '../../src/core/questions/newQuestion.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import { needsOf } from '../../src/ui/needs/needs.ts';
import { agentCounts, needSentence } from '../../src/ui/needs/needWords.ts';
import { SeenStops } from '../../src/ui/needs/seenStops.ts';
import { QuestionItem } from '../../src/ui/questions/questionItem.ts';
import { questionRow } from '../../src/ui/questions/questionRows.ts';
import { WorkerItem } from '../../src/ui/tasks/tasksView.ts';
import { NO_CHANGES } from '../../src/ui/delegates/knownChanges.ts';
import { workerRow } from '../../src/ui/tasks/workerRows.ts';
import { givenAnswer } from '../support/givenAnswer.ts';
import { mementoOf } from '../support/memento.ts';
import { BASH } from '../support/seedQuestion.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const nameOf = () => 'Fake';
const address = { task: TaskName.parse('fix'), worker: FIRST_WORKER };

type Asked = Parameters<typeof newQuestion>[1];

function asked(request: Partial<Asked> = {}): LiveQuestion {
	const question = newQuestion(DriverId.parse('fake'), { ...BASH, ...request });
	return { question, answer: undefined, outcome: undefined, address };
}

function answered(before: LiveQuestion, at: string): LiveQuestion {
	const { id, digest } = before.question;
	return { ...before, answer: givenAnswer({ question: id, digest, at }) };
}

/** A folder whose only agent waits, and these questions. */
function waiting(...questions: LiveQuestion[]) {
	const task = taskView('fix', { workers: ['waiting'] });
	const folder = Object.assign(unusedFolder(new Workspace('/project')), {
		overview: () => ({ tasks: [task], problems: [] }),
		questions: () => questions,
	});
	const item = new WorkerItem(folder, task, task.workers[0]!);
	const needs = needsOf({ list: () => [folder] }, new SeenStops(mementoOf()));
	const row = workerRow(item, {
		names: { full: nameOf, short: nameOf },
		delegates: [],
		isTask: true,
		canFork: false,
		changes: undefined,
		listed: NO_CHANGES,
	});
	return { folder, needs, row };
}

describe('an open question', () => {
	it('is one need, and its agent no other', () => {
		const { needs, row } = waiting(asked());
		assert.deepEqual(agentCounts(needs), ['1 question']);
		assert.equal(needSentence(needs[0]!), 'fix asks: Bash: rm -rf build');
		assert.equal(row.description, 'Fake · asks: rm -rf build');
	});

	it('needs nobody once it is answered, until the agent waits again', () => {
		const [before, later] = [new Date(0).toISOString(), new Date(1000).toISOString()];
		const done = waiting(answered(asked(), later));
		assert.deepEqual(done.needs, []);
		assert.equal(done.row.description, 'Fake · answered');
		const again = waiting(answered(asked(), new Date(-1000).toISOString()));
		assert.deepEqual(agentCounts(again.needs), ['1 waiting'], before);
		assert.match(String(again.row.description), /waiting for you.* · answer in its terminal$/);
	});

	it('is a row with who asks, and opens whole', () => {
		const { folder } = waiting();
		const row = questionRow(new QuestionItem(folder, asked({ subagent: 'a1', subagentName: 'tester' })), nameOf);
		assert.equal(row.label, 'fix');
		assert.match(row.accessibilityInformation?.label ?? '', /^Question of fix, subagent tester, Bash: rm/);
		assert.equal(row.description, 'Bash: rm -rf build');
		assert.equal(row.command?.command, 'nancy.openQuestion');
	});
});
