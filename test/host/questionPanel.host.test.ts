import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { DeskView } from '../../src/core/live/deskView.ts';
import { newQuestion } from '../../src/core/questions/newQuestion.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, SessionId } from '../../src/protocol/names.ts';
import { deskWords } from '../../src/server/deskWords.ts';
import { QuestionItem } from '../../src/ui/questions/questionItem.ts';
import { QuestionPanel } from '../../src/ui/questions/questionPanel.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

/** A page that answers what it is shown at once. */
const PAGE = `const vscode = acquireVsCodeApi();
addEventListener('message', ({ data: { type, question } }) => {
	if (type !== 'shown') return;
	const { id, digest, folder } = question;
	const body = { folder, digest, effect: 'no', words: '', chosen: [], nonce: 'n'.repeat(16) };
	vscode.postMessage({ type: 'post', number: 1, route: 'questions/' + id + '/answer', body });
});
vscode.postMessage({ type: 'ready' });`;

it('tells of an answer that failed by a message, once its page is closed', async () => {
	await using extension = tempFolder();
	mkdirSync(extension.file('media/web'), { recursive: true });
	writeFileSync(extension.file('media/web/question.js'), PAGE);
	const question = newQuestion(DriverId.parse('fake'), {
		session: SessionId.parse('d0d0d0d0-0000'),
		kind: 'tool',
		tool: 'Bash',
		title: 'ls',
		body: 'ls',
		bodyIs: 'command',
		also: [],
		files: [],
		choices: [{ effect: 'no' }],
		fields: [],
		input: {},
	});
	const asked = { question, answer: undefined, outcome: undefined, address: undefined };
	const folder = Object.assign(unusedFolder(new Workspace('/project')), {
		overview: () => ({ tasks: [], problems: [] }),
		delegates: () => [],
		question: () => asked,
	});
	const told: unknown[] = [];
	const panel = new QuestionPanel({
		extensionUri: vscode.Uri.file(extension.path),
		folders: { list: () => [folder], onDidChange: new vscode.EventEmitter<void>().event },
		failures: {
			guard: async run => {
				await Promise.resolve(run()).catch((error: unknown) => told.push(error));
			},
			background: work => void work.catch((error: unknown) => told.push(error)),
		},
		operations: {
			answer: () => {
				panel.dispose();
				return Promise.reject(new Error('not taken'));
			},
		},
		terminals: { find: () => Promise.resolve(undefined), focus: () => Promise.resolve() },
		agentName: () => 'Fake',
		deskView: new DeskView(deskWords(extension.path)),
	});
	panel.show(new QuestionItem(folder, asked));
	await eventually('it is told', () => told.length > 0);
	assert.match(String(told[0]), /not taken/);
});
