import type { Locator } from 'playwright-core';
import type { AskedRequest } from '../../src/core/driver/asking.ts';
import type { Workspace } from '../../src/core/workspace/workspace.ts';
import { SessionId } from '../../src/protocol/names.ts';
import type { Choice } from '../../src/protocol/question.ts';
import type { Lab } from '../support/lab.ts';
import { questionFrame } from '../support/questionFrame.ts';
import { seedQuestion } from '../support/seedQuestion.ts';

const NO: readonly Choice[] = [{ effect: 'no' }, { effect: 'end' }];

/** One of each kind. The title tells which. */
const REQUESTS: readonly Partial<AskedRequest>[] = [
	{
		cwd: '/home/me/tea-timer',
		also: [{ name: 'description', value: 'Remove the old build and all that was downloaded' }],
		title: 'rm -rf build node_modules',
		body: 'rm -rf build node_modules',
		choices: [
			{ effect: 'once' },
			{ effect: 'session', rule: 'Bash(rm -rf build:*), Bash(rm -rf node_modules:*)' },
			{ effect: 'folder', rule: 'Bash(rm -rf build:*)', keptIn: '.claude/settings.local.json' },
			...NO,
		],
	},
	{
		tool: 'Edit',
		title: 'src/timer.js',
		files: ['/home/me/tea-timer/src/timer.js'],
		body: '-export const minutes = 5;\n-export const seconds = 0;\n+export const minutes = 4;\n+export const seconds = 30;',
		bodyIs: 'diff',
		choices: [{ effect: 'once' }, { effect: 'session', rule: 'acceptEdits' }, ...NO],
	},
	{
		kind: 'plan',
		tool: 'ExitPlanMode',
		title: 'Round the minutes',
		body: '# Round the minutes\n\n1. Change `src/timer.js`.\n2. Run **all** tests.\n3. Write the changelog.',
		bodyIs: 'plan',
		choices: [{ effect: 'once' }, { effect: 'session', rule: 'acceptEdits' }, ...NO],
	},
	{
		kind: 'choice',
		tool: 'AskUserQuestion',
		title: 'Which colour shall the timer have?',
		body: '',
		bodyIs: 'text',
		fields: [
			{
				question: 'Which colour shall the timer have?',
				isMultiple: false,
				options: [{ label: 'Green', description: 'As the tea' }, { label: 'Blue' }],
			},
			{
				question: 'Which sounds?',
				isMultiple: true,
				options: [{ label: 'Bell' }, { label: 'Gong', description: 'Long, and deep' }],
			},
		],
	},
	{ title: 'echo long', body: `echo ${'long words '.repeat(18_000)}`, subagent: 'a1', subagentName: 'tester' },
	{ title: 'echo more', body: `echo ${'too long '.repeat(40_000)}` },
];

/** @param count of questions; the first ones are one of each kind */
export async function seedQuestions(workspace: Workspace, sessions: readonly string[], count: number): Promise<void> {
	for (let at = 0; at < count; at++) {
		const session = SessionId.parse(sessions[at % sessions.length] ?? '0-nobody');
		await seedQuestion(workspace, {
			...(REQUESTS[at] ?? { title: `make step-${at}`, body: `make step-${at}` }),
			session,
		});
	}
}

const shows = (row: string) => async (lab: Lab) => {
	await lab.workbench.row('Questions', row).click();
	await questionFrame(lab.page);
	return lab.page.locator('.part.editor');
};

/** The panel, in the window of the scene “questions”. */
export const questionViews = {
	command: shows('rm -rf'),
	diff: shows('src/timer.js'),
	plan: shows('Plan: '),
	choice: shows('Which colour'),
	long: shows('echo long'),
	tooLong: shows('echo more'),
} satisfies Readonly<Record<string, (lab: Lab) => Promise<Locator>>>;
