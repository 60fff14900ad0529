import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { identify } from '../../../../src/base/liveness.ts';
import { LiveQuestions } from '../../../../src/core/live/liveQuestions.ts';
import { digestOf } from '../../../../src/core/questions/digest.ts';
import { newQuestion } from '../../../../src/core/questions/newQuestion.ts';
import { DeskRules } from '../../../../src/core/questions/deskRules.ts';
import { Questions } from '../../../../src/core/questions/questions.ts';
import { bindSession } from '../../../../src/core/sessions/bindings.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { RuleId, type Rule } from '../../../../src/protocol/deskRules.ts';
import { DriverId, FIRST_WORKER, SessionId, TaskName } from '../../../../src/protocol/names.ts';
import { QuestionId, type Answer, type Question } from '../../../../src/protocol/question.ts';
import { eventually } from '../../../support/eventually.ts';
import { seedQuestion } from '../../../support/seedQuestion.ts';
import { tempFolder } from '../../../support/tempFolder.ts';
import { failFiles } from '../../../support/failingFiles.ts';

function lab(readOnly = false) {
	const folder = tempFolder();
	const workspace = new Workspace(folder.path);
	const failures: unknown[] = [];
	const rules = new DeskRules(folder.file('config'), folder.file('data'));
	const live = new LiveQuestions(workspace, { readOnly, drivers: [], rules, fail: error => failures.push(error) });
	return {
		workspace,
		desk: new Questions(workspace.own),
		live,
		rules,
		failures,
		/** The titles, once they are these. */
		shows: (...titles: string[]) =>
			eventually('the questions', () => {
				const shown = live.all().map(({ question }) => question.title);
				return JSON.stringify(shown) === JSON.stringify(titles);
			}),
		[Symbol.asyncDispose]: async () => {
			live.dispose();
			await folder.remove();
		},
	};
}

function answerTo({ id, digest }: Question): Omit<Answer, 'seal'> {
	return { version: 1, question: id, digest, effect: 'no', by: 'vscode', at: new Date().toISOString() };
}

it('shows each question as it comes, with its worker, and keeps in mind what became of it', async () => {
	await using own = lab();
	const address = { task: TaskName.parse('build'), worker: FIRST_WORKER };
	const first = await seedQuestion(own.workspace, { title: 'one' });
	await bindSession(own.workspace, first.session, { address, watched: false });
	await own.shows('one');
	const second = await seedQuestion(own.workspace, { title: 'two' });
	await own.shows('one', 'two');
	expect(own.live.all()[1]?.address).toEqual(address);

	await own.desk.answer(answerTo(first));
	await eventually('the answer', () => own.live.find(first.id)?.answer?.effect === 'no');
	await own.shows('one', 'two');
	await own.desk.end(first.id, 'applied', 'PostToolUseFailure');
	await own.shows('two');
	expect(own.live.find(first.id)?.outcome?.state).toBe('applied');
	await own.desk.end(second.id, 'ended', 'the agent has ended');
	await own.shows();
	expect(own.failures).toEqual([]);
});

it('shows a question though the file of another session cannot be read', async () => {
	await using own = lab();
	const first = await seedQuestion(own.workspace, { title: 'one', session: SessionId.parse('unreadable') });
	using _ = failFiles('open', path => path === own.workspace.paths.session(first.session));
	await seedQuestion(own.workspace, { title: 'two' });
	await own.shows('one', 'two');
	expect(own.failures).toEqual([]);
});

it.each([
	{ readOnly: false, what: 'ends' },
	{ readOnly: true, what: 'leaves alone, where nothing is trusted,' },
])('$what a question whose holder has gone', async ({ readOnly }) => {
	await using own = lab(readOnly);
	const kept = await seedQuestion(own.workspace, { title: 'kept' });
	const { digest: _, ...asked } = newQuestion(kept.driver, { ...kept, input: {} });
	const left = { ...asked, title: 'left', holder: { ...kept.holder, startedTicks: 1 } };
	await own.desk.ask({ ...left, digest: digestOf(left) });
	if (!readOnly) await eventually('its end', async () => (await own.desk.readOutcome(left.id))?.state === 'silent');
	await (readOnly ? own.shows('kept', 'left') : own.shows('kept'));
	if (readOnly) expect(await own.desk.readOutcome(left.id)).toBeUndefined();
});

it('ends a question of a machine that has shown no sign of life for a minute', async () => {
	await using own = lab();
	const kept = await seedQuestion(own.workspace, { title: 'kept' });
	const folder = own.workspace.own.path('machines');
	const [here] = readdirSync(folder);
	expect(here).toBe(kept.holder.machine);
	const ask = async (title: string, machine: string, silentMs: number) => {
		const sign = join(folder, machine);
		writeFileSync(sign, 'at work\n');
		const heard = new Date(Date.now() - silentMs);
		utimesSync(sign, heard, heard);
		const { digest: _, ...asked } = newQuestion(kept.driver, { ...kept, input: {} });
		const holder = { ...kept.holder, machine };
		const question = { ...asked, title, holder, agent: holder };
		await own.desk.ask({ ...question, digest: digestOf(question) });
		return question.id;
	};
	await ask('at work', '0.aaaaaaaa.1', 0);
	const silent = await ask('silent', '0.aaaaaaaa.2', 61_000);
	vi.useFakeTimers({ toFake: ['performance'] });
	onTestFinished(() => void vi.useRealTimers());
	await own.live.refresh();
	// A machine that was asleep would show one now.
	await own.shows('kept', 'at work', 'silent');
	vi.advanceTimersByTime(21_000);
	await own.live.refresh();
	await own.shows('kept', 'at work');
	expect(await own.desk.readOutcome(silent)).toMatchObject({ state: 'silent' });
	const late = own.desk.answer({ ...answerTo(kept), question: silent });
	await expect(late).rejects.toMatchObject({ code: 'wrong-state' });
});

it('has no question twice at any moment, once as open and once as over', async () => {
	await using own = lab();
	const titles = Array.from({ length: 12 }, (_, at) => `make step-${at}`);
	const asked = [];
	for (const title of titles) asked.push(await seedQuestion(own.workspace, { title }));
	await own.shows(...titles);
	const twice = new Set<string>();
	let isOn = true;
	const look = () => {
		const ids = [...own.live.all(), ...own.live.past()].map(({ question }) => question.id);
		for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) twice.add(id);
		if (isOn) setImmediate(look);
	};
	look();
	await Promise.all(asked.map(({ id }) => own.desk.end(id, 'ended', 'Stop')));
	await own.shows();
	isOn = false;
	expect(own.live.past()).toHaveLength(12);
	expect([...twice]).toEqual([]);
});

it('answers by the user’s rules, and says once why they do not hold', async () => {
	await using own = lab();
	const now = Date.now();
	const rule: Rule = {
		id: RuleId.parse('20261124T120000000Z-0a1b2c3d'),
		madeAt: new Date(now - 1000).toISOString(),
		workspace: own.workspace.folder,
		driver: DriverId.parse('claude-code'),
		tool: 'Bash',
		effect: 'no',
		until: new Date(now + 60_000).toISOString(),
	};
	await own.rules.change(file => ({ ...file, rules: [rule] }));
	const asked = await seedQuestion(own.workspace, { title: 'one' });
	await eventually('the answer', () => own.live.find(asked.id)?.answer?.by === 'rule');
	writeFileSync(own.rules.file, '{}');
	await seedQuestion(own.workspace, { title: 'two' });
	await own.shows('one', 'two');
	await own.live.refresh();
	expect(own.failures).toMatchObject([{ code: 'not-trusted' }]);
});

it('ends an answered question once its holder and its agent have gone, and no event waits to be read', async () => {
	await using own = lab();
	await own.workspace.prepare();
	const { holder: _, digest: __, ...asked } = await seedQuestion(own.workspace, { title: 'seeded' });
	const agent = spawn('sleep', ['300']);
	const [id, gone] = [QuestionId.parse('20261124T120000000Z-0a1b2c3d'), identify(agent.pid ?? 0)];
	const left = { ...asked, id, title: 'left', holder: gone, agent: gone };
	const question = { ...left, digest: digestOf(left) };
	await own.desk.ask(question);
	await own.desk.answer(answerTo(question));
	own.desk.handing(id)();
	await own.shows('left', 'seeded');
	const event = join(own.workspace.paths.spool, 'claude-code~Stop~1-1.json');
	writeFileSync(event, '{');
	agent.kill('SIGKILL');
	await once(agent, 'close');
	await own.live.refresh();
	expect(await own.desk.readOutcome(id)).toBeUndefined();
	rmSync(event);
	await own.shows('seeded');
	expect(await own.desk.readOutcome(id)).toMatchObject({ state: 'ended' });
});

it('shows the next question beside records that nobody can read, and after one that was removed', async () => {
	await using own = lab();
	const first = await seedQuestion(own.workspace, { title: 'one' });
	await own.shows('one');
	const file = join(own.desk.folder, 'questions', `${first.id}.json`);
	writeFileSync(file.replace(first.id, '20200101T000000000Z-00000000'), 'no JSON');
	rmSync(file);
	await seedQuestion(own.workspace, { title: 'two' });
	await own.shows('two');
	expect(own.failures).toEqual([]);
});
