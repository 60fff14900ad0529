import assert from 'node:assert/strict';
import type { LiveQuestion } from '../../src/core/live/liveQuestions.ts';
import { newQuestion } from '../../src/core/questions/newQuestion.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DelegateId } from '../../src/protocol/delegate.ts';
import { DriverId, FIRST_WORKER, SessionId, TaskName } from '../../src/protocol/names.ts';
import { needsOf } from '../../src/ui/needs/needs.ts';
import { agentCounts, needSentence } from '../../src/ui/needs/needWords.ts';
import { SeenStops } from '../../src/ui/needs/seenStops.ts';
import { QuestionItem } from '../../src/ui/questions/questionItem.ts';
import { replyOf } from '../../src/core/questions/reply.ts';
import { liveQuestion, shownQuestion } from '../../src/ui/questions/questionPage.ts';
import { questionRow } from '../../src/ui/questions/questionRows.ts';
import { WorkerItem } from '../../src/ui/tasks/tasksView.ts';
import { NO_CHANGES } from '../../src/ui/delegates/knownChanges.ts';
import { workerRow } from '../../src/ui/tasks/workerRows.ts';
import { mementoOf } from '../support/memento.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const nameOf = () => 'Fake';
const address = { task: TaskName.parse('fix'), worker: FIRST_WORKER };

type Asked = Parameters<typeof newQuestion>[1];

function asked(request: Partial<Asked> = {}, delegate?: DelegateId): LiveQuestion {
	const asking: Asked = {
		session: SessionId.parse('d0d0d0d0-0000'),
		kind: 'tool',
		tool: 'Bash',
		title: 'rm -rf build',
		body: 'rm -rf build',
		bodyIs: 'command',
		also: [],
		files: [],
		choices: [{ effect: 'once' }, { effect: 'no' }, { effect: 'end' }],
		fields: [],
		input: {},
		...request,
	};
	const question = newQuestion(DriverId.parse('fake'), asking, { delegate });
	return { question, answer: undefined, outcome: undefined, address };
}

function answered(before: LiveQuestion, at: string): LiveQuestion {
	const { id, digest } = before.question;
	return { ...before, answer: { version: 1, question: id, digest, effect: 'once', by: 'vscode', at, seal: '' } };
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

describe('the page of a question', () => {
	const { folder } = waiting();
	const page = (request: Partial<Asked>) => shownQuestion(new QuestionItem(folder, asked(request)), nameOf);

	it('shows the rule of an answer word by word, with the file that will hold it', () => {
		const choices = [{ effect: 'folder', rule: 'Bash(rm:*)', keptIn: '.claude/settings.local.json' } as const];
		assert.deepEqual(page({ choices }).offers, [
			{
				effect: 'folder',
				isYes: true,
				label: 'Allow in This Folder',
				about: 'Adds this rule to .claude/settings.local.json:',
				rule: 'Bash(rm:*)',
			},
		]);
	});

	it('offers no Yes to what is too long to be shown whole, and says so', () => {
		const { offers, note } = page({ body: 'x'.repeat(300_000) });
		assert.deepEqual(
			offers.map(({ effect }) => effect),
			['no', 'end'],
		);
		assert.match(note, /^A part of the request is not shown here/);
	});

	it('hides nothing: neither what turns the text around nor what has no width', () => {
		const { body, facts } = page({ body: 'a\u202eb\u200bc\u001b[2K', files: ['x\u2066y'] });
		assert.equal(body, 'a⟨U+202E⟩b⟨U+200B⟩c\\x1b[2K');
		assert.equal(facts.find(({ name }) => name === 'Files')?.value, 'x⟨U+2066⟩y');
	});

	it('gives back the options’ own texts, and a text of the person’s own', () => {
		const fields = [
			{ question: 'Which?', isMultiple: true, options: [{ label: 'A\u200b' }, { label: 'B' }] },
			{ question: 'Why?', isMultiple: false, options: [] },
		];
		const { question } = asked({ kind: 'choice', fields });
		const given = { type: 'answer', id: question.id, digest: question.digest, words: '' } as const;
		const chosen = [
			{ options: [0, 1, 7], text: '' },
			{ options: [], text: 'So' },
		];
		assert.deepEqual(replyOf(question, { ...given, effect: 'once', chosen }), {
			effect: 'once',
			values: { 'Which?': ['A\u200b', 'B'], 'Why?': ['So'] },
		});
		assert.deepEqual(replyOf(question, { ...given, effect: 'no', words: 'Later', chosen }), {
			effect: 'no',
			words: 'Later',
		});
	});

	it('names the delegate that asks, and no terminal', () => {
		const delegating = Object.assign(waiting().folder, { delegates: () => [] });
		const item = new QuestionItem(delegating, asked({ body: 'x'.repeat(300_000) }, DelegateId.parse('d1')));
		const { facts, note } = shownQuestion(item, nameOf);
		assert.equal(facts.find(({ name }) => name === 'As delegate')?.value, 'd1');
		assert.match(note, /cannot be allowed\.$/);
		const live = liveQuestion(item, { problem: '', hasTerminal: true, next: '' });
		assert.match(live.facts, /A delegate has no terminal/);
		assert.equal(live.terminal, '');
	});

	it('says why an answer was not taken, until the question has one', () => {
		const state = (each: LiveQuestion) =>
			liveQuestion(new QuestionItem(folder, each), { problem: 'Not taken.', hasTerminal: false, next: '' }).state;
		assert.equal(state(asked()), 'Not taken.');
		assert.match(state(answered(asked(), new Date().toISOString())), /^Sent: Allow Once/);
	});

	it('takes an answer only while nobody has answered', () => {
		const live = (each: LiveQuestion) =>
			liveQuestion(new QuestionItem(folder, each), { problem: '', hasTerminal: false, next: '' });
		assert.equal(live(asked()).isOpen, true);
		const sent = live(answered(asked(), new Date().toISOString()));
		assert.deepEqual([sent.isOpen, sent.state.startsWith('Sent: Allow Once.')], [false, true]);
	});
});
