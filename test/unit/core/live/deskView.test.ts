import { expect, it } from 'vitest';
import { ENDED } from '../../../../src/base/liveness.ts';
import { DeskView, folderId } from '../../../../src/core/live/deskView.ts';
import type { LiveQuestion } from '../../../../src/core/live/liveQuestions.ts';
import { newQuestion } from '../../../../src/core/questions/newQuestion.ts';
import { DelegateId } from '../../../../src/protocol/delegate.ts';
import { DriverId, SessionId } from '../../../../src/protocol/names.ts';
import { ExecutorId } from '../../../../src/protocol/executorId.ts';
import { DelegateRoom } from '../../../support/delegateRoom.ts';
import { BASH } from '../../../support/seedQuestion.ts';
import { taskView } from '../../../support/taskViews.ts';

const view = new DeskView({ agentName: String, limitOf: () => undefined, withoutPaths: String });
const source = { id: folderId('/project'), overview: () => ({ tasks: [], problems: [] }), delegates: () => [] };

/** The question as pages show it. */
function shown(request: Partial<Parameters<typeof newQuestion>[1]>, delegate?: DelegateId) {
	const asked = newQuestion(
		DriverId.parse('fake'),
		{
			session: SessionId.parse('d0d0d0d0-0000'),
			kind: 'tool',
			tool: 'Bash',
			title: 'ls',
			body: 'ls',
			bodyIs: 'command',
			also: [],
			files: [],
			choices: [{ effect: 'once' }, { effect: 'no' }, { effect: 'end' }],
			fields: [],
			input: {},
			...request,
		},
		{ delegate, around: { folders: ['/project'], home: '/home/me', settings: [] } },
	);
	const answer = undefined;
	return view.question(source, { question: asked, answer, outcome: undefined, address: undefined });
}

it('hides nothing of a request: neither what turns the text around nor what has no width', () => {
	const { body, files } = shown({ body: 'a\u202eb\u200bc\u001b[2K', files: ['x\u2066y'] });
	expect(body).toBe('a⟨U+202E⟩b⟨U+200B⟩c\\x1b[2K');
	expect(files).toEqual(['x⟨U+2066⟩y']);
});

it('offers a standing rule with its words, and not on a page', () => {
	const rule = { effect: 'folder', rule: 'Bash(rm:*)', keptIn: '.claude/settings.local.json' } as const;
	expect(shown({ choices: [rule, { effect: 'once' }] }).choices).toEqual([
		{ ...rule, isYes: true, isHere: false },
		{ effect: 'once', isYes: true, isHere: true },
	]);
});

it('offers no Yes to what has a risk, with a rule or without, and says why', () => {
	const { choices, risk } = shown({
		body: 'sudo ls',
		choices: [{ effect: 'once' }, { effect: 'session' }, { effect: 'no' }],
	});
	expect(choices.map(({ isHere }) => isHere)).toEqual([false, false, true]);
	expect(risk).toEqual(['administrator']);
});

it('offers no Yes to what is too long to be shown whole', () => {
	const { choices, isWhole } = shown({ body: 'x'.repeat(300_000) });
	expect([isWhole, ...choices.map(({ effect }) => effect)]).toEqual([false, 'no', 'end']);
});

it('has the beginning of a request that is over, and the whole of one that is not', () => {
	const asked = newQuestion(DriverId.parse('fake'), {
		...BASH,
		body: 'x'.repeat(5000),
		also: [{ name: 'more', value: 'y' }],
	});
	const outcome = { version: 1, question: asked.id, state: 'applied', evidence: 'Stop', at: asked.askedAt } as const;
	const stateOf = (end: LiveQuestion['outcome']) =>
		view.of([
			{
				...source,
				name: 'project',
				messages: () => ({ messages: [], problems: [] }),
				questions: () => [{ question: asked, answer: undefined, outcome: end, address: undefined }],
			},
		]).questions[0];
	expect(stateOf(undefined)).toMatchObject({ body: 'x'.repeat(5000), also: [{ name: 'more' }] });
	expect(stateOf(outcome)).toMatchObject({ body: `${'x'.repeat(2000)}…`, also: [] });
});

it.each([
	['files', { files: Array.from({ length: 3000 }, () => 'x'.repeat(100)) }],
	[
		'the options of a question',
		{
			fields: [
				{
					question: 'Which?',
					options: [{ label: 'x', description: 'y'.repeat(300_000) }],
					isMultiple: false,
				},
			],
		},
	],
])('offers no Yes where %s are too long, and keeps no such record', (_, request) => {
	const asked = newQuestion(DriverId.parse('fake'), { ...BASH, ...request });
	expect(asked.isWhole).toBe(false);
	expect(asked.choices.map(({ effect }) => effect)).not.toContain('once');
	expect(JSON.stringify(asked).length).toBeLessThan(10_000);
});

it('names the delegate that asks, though its record is gone', () => {
	expect(shown({}, DelegateId.parse('d1')).delegate).toEqual({ id: 'd1', title: '' });
});

it('shows what a CLI tells its user as one bounded line, without control characters and paths of this machine', () => {
	const task = taskView('fix', { workers: ['working'] });
	const at = new Date(0).toISOString();
	const text = `Built /home/me/.local\u001b[31m\u202e <b>${'x'.repeat(5000)}`;
	const workers = task.workers.map(worker => ({ ...worker, alert: { text, at } }));
	const words = {
		agentName: () => 'Fake',
		limitOf: () => undefined,
		withoutPaths: (each: string) => each.replaceAll('/home/me', '~'),
	};
	const { tasks } = new DeskView(words).of([
		{
			...source,
			name: 'project',
			overview: () => ({ tasks: [{ ...task, workers }], problems: [] }),
			messages: () => ({ messages: [], problems: [] }),
			questions: () => [],
		},
	]);
	const shown = tasks[0]?.workers[0]?.alert?.text ?? '';
	expect(shown).toMatch(/^Built ~\/\.local/);
	for (const hidden of ['\u001b', '\u202e']) expect(shown).not.toContain(hidden);
	expect(shown.length).toBeLessThan(1000);
});

it('says of an agent that waits that its terminal takes the answer, where no desk has its question', () => {
	const session = SessionId.parse('d0d0d0d0-0000');
	const task = taskView('fix', { workers: ['waiting', 'working'], delegate: 'waiting' });
	const workers = task.workers.map(worker => ({ ...worker, state: { ...worker.state, session } }));
	const request = { ...BASH, session };
	const asked = newQuestion(DriverId.parse('fake'), request, {
		around: { folders: ['/project'], home: '/home/me', settings: [] },
	});
	const inTerminal = (questions: readonly LiveQuestion[]) => {
		const { tasks } = view.of([
			{
				...source,
				name: 'project',
				overview: () => ({ tasks: [{ ...task, workers }], problems: [] }),
				messages: () => ({ messages: [], problems: [] }),
				questions: () => questions,
			},
		]);
		return tasks[0]?.workers.map(({ asksInTerminal = false }) => asksInTerminal);
	};
	const live = (question: LiveQuestion['question']) => ({
		question,
		answer: undefined,
		outcome: undefined,
		address: undefined,
	});
	// A delegate has no terminal.
	expect(inTerminal([])).toEqual([true, false, false]);
	expect(inTerminal([live(asked)])).toEqual([false, false, false]);
	expect(inTerminal([live({ ...asked, holder: { ...asked.holder, startedTicks: ENDED } })])).toEqual([
		true,
		false,
		false,
	]);
	// Its holder may live on, as one that asks for a whole terminal does.
	const over = {
		version: 1,
		question: asked.id,
		at: new Date().toISOString(),
		state: 'ended',
		evidence: 'SessionEnd',
	} as const;
	expect(inTerminal([{ ...live(asked), outcome: over }])).toEqual([true, false, false]);
	expect(inTerminal([live({ ...asked, session: SessionId.parse('e0e0e0e0-0000') })])).toEqual([true, false, false]);
});

it('names the machine of a delegate, and since when it cannot be reached', async () => {
	const room = new DelegateRoom();
	const delegate = await room.queue({ on: ExecutorId.parse('ssh:lab') });
	const unseenSince = '2026-11-29T10:00:00Z';
	const { delegates } = view.of([
		{
			...source,
			name: 'project',
			messages: () => ({ messages: [], problems: [] }),
			questions: () => [],
			delegates: () => [{ ...delegate, unseenSince, waitsInQueue: 'Resources' }],
		},
	]);
	expect(delegates).toMatchObject([{ on: 'ssh:lab', unseenSince, waitsInQueue: 'Resources' }]);
	await room.folder.remove();
});
