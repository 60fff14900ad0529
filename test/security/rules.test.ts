import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IN_TERMINAL, type Asker } from '../../src/core/asker/asker.ts';
import type { AskedRequest } from '../../src/core/driver/asking.ts';
import { applyRules } from '../../src/core/questions/applyRules.ts';
import { DeskRules } from '../../src/core/questions/deskRules.ts';
import { digestOf } from '../../src/core/questions/digest.ts';
import { newQuestion } from '../../src/core/questions/newQuestion.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import { ruleFor } from '../../src/core/questions/ruleFor.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { answerQuestion } from '../../src/operations/answerQuestion.ts';
import { changeRules } from '../../src/operations/changeRules.ts';
import { perform } from '../../src/operations/operation.ts';
import { questions } from '../../src/operations/questions.ts';
import { rules } from '../../src/operations/rules.ts';
import { configFolder } from '../../src/base/folders.ts';
import { DriverId, SessionId } from '../../src/protocol/names.ts';
import type { Question } from '../../src/protocol/question.ts';
import { agentAt, contextOf } from '../support/operationContext.ts';
import { BASH, seedQuestion } from '../support/seedQuestion.ts';
import { tempFolder } from '../support/tempFolder.ts';

const YES = {
	is: 'add' as const,
	effect: 'once' as const,
	isForAll: false,
	isForSession: false,
	hours: 1,
	uses: 20,
};

async function lab() {
	const folder = tempFolder('nancy rules ');
	const workspace = new Workspace(folder.path, folder.file('own', 'data'));
	await workspace.prepare();
	const notes: string[] = [];
	const context = contextOf(folder, workspace, { note: text => notes.push(text) });
	const desk = new Questions(workspace.own);
	const file = new DeskRules(configFolder(context.env), workspace.own.dataFolder);
	const rule = ({ id: question, digest }: Question, more: object = {}, asker: Asker = IN_TERMINAL) =>
		perform(changeRules, asker, { ...YES, ...more, question, digest }, context);
	const ask = async (request: Partial<AskedRequest> = {}) => {
		// A rule answers what is asked later.
		await new Promise(resolve => setTimeout(resolve, 2));
		return seedQuestion(workspace, { cwd: '/w', ...request });
	};
	return {
		folder,
		workspace,
		notes,
		context,
		desk,
		file,
		ask,
		rule,
		/** Looks as a person does, and says how the question is answered. */
		answer: async (question: Question) => {
			await perform(questions, IN_TERMINAL, { all: false }, context);
			return (await desk.get(question.id)).answer;
		},
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

describe('a rule of the user’s', () => {
	it('answers the same request again while a person looks, is counted, and stands in the answer', async () => {
		await using it = await lab();
		const first = await it.ask();
		const made = await it.rule(first, { uses: 2 });
		expect(await it.answer(first)).toBeUndefined();
		const { id } = made.rules[0]!.rule;
		const [one, two] = [await it.ask(), await it.ask({ session: SessionId.parse('a0a0a0a0-0001') })];
		expect(await it.answer(one)).toMatchObject({ effect: 'once', by: 'rule', rule: id });
		expect(await it.answer(two)).toMatchObject({ rule: id });
		expect(await it.answer(await it.ask())).toBeUndefined();
		expect((await perform(rules, IN_TERMINAL, {}, it.context)).rules).toMatchObject([{ used: 2 }]);
		const said = { question: two.id, digest: two.digest, reply: { effect: 'no' as const } };
		await expect(perform(answerQuestion, IN_TERMINAL, said, it.context)).rejects.toMatchObject({
			message: expect.stringContaining('by a rule of yours'),
		});
	});

	it('never answers more often than it may, whoever looks at the same time', async () => {
		await using it = await lab();
		await it.rule(await it.ask(), { uses: 1 });
		const asked = [await it.ask(), await it.ask(), await it.ask()];
		await Promise.all([1, 2, 3].map(() => applyRules(it.workspace, new Questions(it.workspace.own), it.file)));
		const answers = await Promise.all(asked.map(async ({ id }) => (await it.desk.get(id)).answer));
		expect(answers.filter(Boolean)).toHaveLength(1);
	});

	it('answers nothing that differs in any part', async () => {
		await using it = await lab();
		await it.rule(await it.ask());
		const others: Partial<AskedRequest>[] = [
			{ body: 'rm -rf build ' },
			{ body: 'rm -rf  build' },
			{ body: 'rm -rf build\n' },
			{ body: 'rm -rf BUILD' },
			{ bodyIs: 'text' },
			{ cwd: '/w/other' },
			{ cwd: undefined },
			{ also: [{ name: 'dangerouslyDisableSandbox', value: 'true' }] },
			{ files: ['/w/a'] },
			{ tool: 'BashOutput' },
			{ subagent: 'a1', subagentName: 'plugin:cleaner' },
			{ kind: 'plan' },
			{ choices: [{ effect: 'no' }] },
		];
		for (const other of others) expect([other, await it.answer(await it.ask(other))]).toEqual([other, undefined]);
		expect(await it.answer(await it.ask())).toMatchObject({ by: 'rule' });
	});

	it('says Yes to no risk that its person has not seen', async () => {
		await using it = await lab();
		await using outside = await lab();
		const build = it.folder.file('build');
		const ask = () => it.ask({ body: 'cat build/log', cwd: it.folder.path });
		const leadTo = (place: string) => {
			rmSync(build, { recursive: true });
			mkdirSync(place, { recursive: true });
			symlinkSync(place, build);
		};
		mkdirSync(build);
		await it.rule(await ask());
		expect(await it.answer(await ask())).toMatchObject({ by: 'rule' });

		leadTo(outside.folder.path);
		const seen = await ask();
		expect([seen.risk, await it.answer(seen)]).toEqual([['outside'], undefined]);
		await it.rule(seen);
		expect(await it.answer(await ask())).toMatchObject({ by: 'rule' });

		leadTo(outside.folder.file('.ssh'));
		const unseen = await ask();
		expect([unseen.risk, await it.answer(unseen)]).toEqual([['hidden', 'outside'], undefined]);
		leadTo(it.folder.file('other'));
		expect(await it.answer(await ask())).toMatchObject({ by: 'rule' });
	});

	it('of an earlier version says Yes only to what has no risk', async () => {
		await using it = await lab();
		const [plain, risky] = [
			{ body: 'ls', cwd: it.workspace.folder },
			{ body: 'ls', cwd: '/' },
		];
		await it.rule(await it.ask(plain));
		await it.rule(await it.ask(risky));
		await it.file.change(now => ({ ...now, rules: now.rules.map(rule => ({ ...rule, risk: undefined })) }));
		expect(await it.answer(await it.ask(risky))).toBeUndefined();
		expect(await it.answer(await it.ask(plain))).toMatchObject({ by: 'rule' });
	});

	it('says Yes to no question in which nobody has looked for risks', async () => {
		await using it = await lab();
		await it.rule(await it.ask());
		const { risk: _, ...unseen } = newQuestion(DriverId.parse('claude-code'), { ...BASH, cwd: '/w' });
		const question = { ...unseen, askedAt: new Date(Date.now() + 1000).toISOString() };
		const asked = { ...question, digest: digestOf(question) };
		await it.desk.ask(asked);
		expect(await it.answer(asked)).toBeUndefined();
		await expect(it.rule(asked)).rejects.toMatchObject({ code: 'bad-usage' });
		await it.rule(asked, { effect: 'no' });
	});

	it('holds in its workspace, and in its session if it is for that', async () => {
		await using it = await lab();
		await using other = await lab();
		await it.rule(await it.ask(), { isForSession: true });
		expect(await it.answer(await it.ask({ session: SessionId.parse('a0a0a0a0-0001') }))).toBeUndefined();
		expect(await it.answer(await it.ask())).toMatchObject({ by: 'rule' });
		const elsewhere = await other.ask();
		const asked = { workspace: '/', nowMs: Date.now(), isUsedUp: async () => false };
		expect(await ruleFor(elsewhere, await it.file.read(), asked)).toBeUndefined();
	});

	it('holds from when it was made until its end, eight hours at most, whatever the clock says', async () => {
		await using it = await lab();
		await it.rule(await it.ask(), { hours: 8 });
		const asked = await it.ask();
		const file = await it.file.read();
		const [made] = file.rules;
		const madeAt = Date.parse(made!.madeAt);
		const longer = { ...file, rules: file.rules.map(rule => ({ ...rule, until: '2999-01-01T00:00:00.000Z' })) };
		const at = async (hours: number, rulesFile = file) => {
			const nowMs = madeAt + hours * 60 * 60 * 1000;
			const how = { workspace: it.workspace.folder, nowMs, isUsedUp: async () => false };
			return (await ruleFor(asked, rulesFile, how)) !== undefined;
		};
		expect([await at(-1), await at(0), await at(7.9), await at(8), await at(8, longer)]).toEqual([
			false,
			true,
			true,
			false,
			false,
		]);
		await expect(it.rule(asked, { hours: 9 })).rejects.toThrow();
	});

	it.each<[string, Partial<AskedRequest>]>([
		['what the agent asks its user', { kind: 'choice', tool: 'AskUserQuestion' }],
		['a plan', { kind: 'plan', tool: 'ExitPlanMode' }],
		['what a subagent asks', { subagent: 'a1' }],
		['a command of several lines', { body: 'ls\nrm -rf ~' }],
		['a command with a line separator', { body: 'ls\u2028rm -rf ~' }],
		['a request of which a part is taken out', { body: `curl -H "Authorization: Bearer ${'a1B2'.repeat(12)}" x` }],
	])('is not made from %s', async (_, request) => {
		await using it = await lab();
		await expect(it.rule(await it.ask(request))).rejects.toMatchObject({ code: 'bad-usage' });
	});

	it('with a No wins, and may be for every request of a tool', async () => {
		await using it = await lab();
		const asked = await it.ask();
		await it.rule(asked);
		await it.rule(asked, { effect: 'no', isForAll: true });
		expect(await it.answer(await it.ask())).toMatchObject({ effect: 'no', by: 'rule' });
		expect(await it.answer(await it.ask({ body: 'ls\nls', subagent: 'a1' }))).toMatchObject({ effect: 'no' });
		expect(await it.answer(await it.ask({ tool: 'Write' }))).toBeUndefined();
	});

	it('answers nothing while all are paused, and once it is removed', async () => {
		await using it = await lab();
		const { rules: made } = await it.rule(await it.ask());
		const change = (input: Parameters<typeof changeRules.run>[1]) =>
			perform(changeRules, IN_TERMINAL, input, it.context);
		await change({ is: 'pause', isPaused: true });
		const asked = await it.ask();
		expect(await it.answer(asked)).toBeUndefined();
		await change({ is: 'pause', isPaused: false });
		expect(await it.answer(asked)).toMatchObject({ by: 'rule' });
		await change({ is: 'remove', rule: made[0]!.rule.id });
		expect(await it.answer(await it.ask())).toBeUndefined();
	});
});

describe('an agent', () => {
	it('sees, adds, resumes and removes no rule', async () => {
		await using it = await lab();
		const agent = agentAt(it.folder);
		const asked = await it.ask();
		await expect(it.rule(asked, {}, agent)).rejects.toMatchObject({ code: 'not-trusted' });
		for (const change of [{ is: 'pause', isPaused: false } as const, { is: 'remove-all' } as const])
			await expect(perform(changeRules, agent, change, it.context)).rejects.toMatchObject({
				code: 'not-trusted',
			});
		await expect(perform(rules, agent, {}, it.context)).rejects.toMatchObject({ code: 'not-trusted' });
		expect(await it.answer(await it.ask())).toBeUndefined();
	});

	it.each<[string, (text: string, earlier: string) => string]>([
		['a rule of its own', text => text.replace('rm -rf build', 'rm -rf ~')],
		['a later end', text => text.replace(/"until": "[^"]*"/, '"until": "2999-01-01T00:00:00.000Z"')],
		['more uses', text => text.replace('"uses": 20', '"uses": 100')],
		['an end of the pause', text => text.replace('"isPaused": true', '"isPaused": false')],
		['an earlier text of the user’s', (_, earlier) => earlier],
		['no JSON', () => 'yes'],
	])('makes no rule answer by writing %s into the file, and the user is told which file it is', async (_, write) => {
		await using it = await lab();
		const first = await it.ask();
		await it.rule(first);
		const earlier = readFileSync(it.file.file, 'utf8');
		await perform(changeRules, IN_TERMINAL, { is: 'pause', isPaused: true }, it.context);
		const text = readFileSync(it.file.file, 'utf8');
		const written = write(text, earlier);
		expect(written).not.toBe(text);
		writeFileSync(it.file.file, written);
		expect(await it.answer(await it.ask())).toBeUndefined();
		expect(await it.answer(await it.ask({ body: 'rm -rf ~' }))).toBeUndefined();
		expect(it.notes.join()).toContain(it.file.file);
		await expect(it.rule(first)).rejects.toMatchObject({ code: 'not-trusted' });
		await perform(changeRules, IN_TERMINAL, { is: 'remove-all' }, it.context);
		expect((await it.rule(first)).rules).toHaveLength(1);
	});

	it('ends no No and no pause by the removal of the file', async () => {
		await using it = await lab();
		await it.rule(await it.ask(), { effect: 'no' });
		rmSync(it.file.file);
		await expect(it.file.read()).rejects.toMatchObject({ code: 'not-trusted' });
	});

	it('makes no rule answer by a file without a seal', async () => {
		await using it = await lab();
		await using other = await lab();
		await other.rule(await other.ask());
		const { rules: made } = await other.file.read();
		const own = {
			version: 1,
			isPaused: false,
			rules: made.map(rule => ({ ...rule, workspace: it.workspace.folder })),
		};
		mkdirSync(dirname(it.file.file), { recursive: true });
		writeFileSync(it.file.file, JSON.stringify(own));
		expect(await it.answer(await it.ask())).toBeUndefined();
	});
});
