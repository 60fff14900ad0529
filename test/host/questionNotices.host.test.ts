import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/event.ts';
import type { LiveQuestion } from '../../src/core/live/liveQuestions.ts';
import { newQuestion } from '../../src/core/questions/newQuestion.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import type { Effect } from '../../src/protocol/question.ts';
import { SETTINGS } from '../../src/ui/contributions.ts';
import { showBadges } from '../../src/ui/needs/badges.ts';
import { SeenStops } from '../../src/ui/needs/seenStops.ts';
import { showAllowed } from '../../src/ui/questions/allowed.ts';
import { questionHandlers } from '../../src/ui/questions/questionCommands.ts';
import { openQuestions } from '../../src/ui/questions/questionItem.ts';
import { QuestionNotices } from '../../src/ui/questions/questionNotices.ts';
import { eventually } from '../support/eventually.ts';
import { givenAnswer } from '../support/givenAnswer.ts';
import { mementoOf } from '../support/memento.ts';
import { BASH } from '../support/seedQuestion.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const address = { task: TaskName.parse('fix'), worker: FIRST_WORKER };

function asked(title: string, more: Partial<Parameters<typeof newQuestion>[1]> = {}): LiveQuestion {
	const question = newQuestion(DriverId.parse('fake'), { ...BASH, title, body: title, ...more });
	return { question, answer: undefined, outcome: undefined, address };
}

/** A window with one folder, in which agents ask. */
function askingWindow() {
	const questions: LiveQuestion[] = [];
	const changed = new Emitter<void>();
	const folder = Object.assign(unusedFolder(new Workspace('/project')), {
		overview: () => ({ tasks: [], problems: [] }),
		questions: () => questions,
	});
	const folders = {
		list: () => [folder],
		onDidChange: changed.event,
		onDidNeedAttention: new Emitter<never>().event,
	};
	const show = (...more: LiveQuestion[]) => {
		questions.push(...more);
		changed.fire();
	};
	return { folders, questions, show };
}

describe('questions in the window', () => {
	const { showWarningMessage, showInformationMessage, showQuickPick } = vscode.window;
	const said: (readonly string[])[] = [];
	beforeEach(() => {
		const note = (...words: string[]) => {
			said.push(words);
			return Promise.resolve(words.at(-1));
		};
		Object.assign(vscode.window, { showWarningMessage: note, showInformationMessage: note });
	});
	afterEach(async () => {
		said.length = 0;
		Object.assign(vscode.window, { showWarningMessage, showInformationMessage, showQuickPick });
		await notify(undefined);
	});
	const notify = (value: string | undefined) =>
		vscode.workspace.getConfiguration().update(SETTINGS.notifyPermission, value, vscode.ConfigurationTarget.Global);

	it('are told in one notification however many come, which names no request and takes no answer', async () => {
		const { folders, show } = askingWindow();
		let reviewed = 0;
		const works: Promise<unknown>[] = [];
		const notices = new QuestionNotices({
			folders,
			terminals: { find: () => Promise.resolve(undefined) },
			failures: { background: work => void works.push(work) },
			review: () => Promise.resolve(void reviewed++),
		});
		show(asked('rm -rf one'), asked('rm -rf two'));
		show(asked('rm -rf three'));
		await eventually('a notification', () => reviewed > 0);
		notices.dispose();
		await Promise.all(works);
		assert.equal(said.length, 1);
		assert.match(said[0]?.[0] ?? '', /^3 questions of agents, oldest .+\.$/);
		assert.deepEqual(said[0]?.slice(1), ['Review']);
		assert.equal(reviewed, 1);
	});

	it('are told of by nothing but the badge if the user wants that, and by nothing at all without it', async () => {
		const { folders, questions, show } = askingWindow();
		const views = { questions: badged(), tasks: badged(), inbox: badged() };
		const notices = new QuestionNotices({
			folders,
			terminals: { find: () => Promise.resolve(undefined) },
			failures: { background: work => void work },
			review: () => Promise.resolve(),
		});
		const badges = showBadges(folders, views, new SeenStops(mementoOf()));
		try {
			await notify('badge');
			show(asked('one'), asked('two'));
			assert.deepEqual(views.questions.badge, { value: 2, tooltip: '2 questions' });
			assert.deepEqual([views.tasks.badge, views.inbox.badge], [undefined, undefined]);
			const [first] = questions;
			questions[0] = { ...first!, answer: givenAnswer({ question: first!.question.id }) };
			show();
			assert.deepEqual(views.questions.badge, { value: 1, tooltip: '1 question' });
			await notify('off');
			show();
			assert.equal(views.questions.badge, undefined);
			// Longer than questions that come together are gathered.
			await sleep(1000);
			assert.deepEqual(said, []);
		} finally {
			notices.dispose();
			badges.dispose();
		}
	});

	it('are denied row by row when several are selected: each by its own No and digest, also after one that fails', async () => {
		const { folders, show } = askingWindow();
		const [plain, broken, form] = [
			asked('one'),
			asked('two'),
			asked('three', { choices: [{ effect: 'once' }, { effect: 'end' }] }),
		];
		show(plain, broken, form, asked('not selected'));
		const answers: [string, string, Effect][] = [];
		const handlers = questionHandlers({
			folders,
			operations: {
				answered: () => Promise.resolve([]),
				answer: (_, id, digest, { effect }) => {
					if (id === broken.question.id) return Promise.reject(new Error('answered already'));
					answers.push([id, digest, effect]);
					return Promise.resolve(givenAnswer({ question: id, digest, effect }));
				},
			},
			questions: { show: () => undefined, showNext: () => undefined },
		});
		const rows = openQuestions(folders);
		const selected = rows.filter(({ asked: { question } }) => question.title !== 'not selected');
		await assert.rejects(async () => handlers['nancy.denyQuestion']([selected[0], selected]), /answered already/);
		assert.deepEqual(
			answers,
			[plain, form].map(({ question: { id, digest } }, at) => [id, digest, at === 0 ? 'no' : 'end']),
		);
		// A menu on a row outside of the selection means that row.
		answers.length = 0;
		const other = rows.find(({ asked: { question } }) => question.title === 'not selected');
		await handlers['nancy.denyQuestion']([other, selected]);
		assert.deepEqual(
			answers.map(([id]) => id),
			[other?.asked.question.id],
		);
	});

	it('have left rules in files, which are listed with the question and opened', async () => {
		const { folders } = askingWindow();
		const rule = { rule: 'Bash(make)', keptIn: '.claude/settings.local.json' };
		const before = asked('make', { choices: [{ effect: 'once' }, { effect: 'folder', ...rule }] });
		const { id, digest } = before.question;
		const answer = givenAnswer({ question: id, digest, effect: 'folder' });
		let listed: readonly vscode.QuickPickItem[] = [];
		const pick = (items: readonly vscode.QuickPickItem[]) => {
			listed = items;
			return Promise.resolve(undefined);
		};
		Object.assign(vscode.window, { showQuickPick: pick });
		const { question } = before;
		const answered = () => Promise.resolve([{ question, answer, outcome: undefined }]);
		await showAllowed({ folders, operations: { answered } });
		assert.deepEqual(
			listed.map(({ label, description }) => [label, description]),
			[['Bash(make)', '.claude/settings.local.json']],
		);
		assert.match(listed[0]?.detail ?? '', /^Bash: make · .+ ago$/);
		await showAllowed({ folders, operations: { answered: () => Promise.resolve([]) } });
		assert.deepEqual(said, [['No answer of yours has added a rule to a file.']]);
	});
});

function badged(): Pick<vscode.TreeView<unknown>, 'badge'> {
	return { badge: undefined };
}
