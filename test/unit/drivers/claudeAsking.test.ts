import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asking } from '../../../src/drivers/claude-code/asking.ts';
import { QuestionId, type Answer } from '../../../src/protocol/question.ts';

const samples = join(import.meta.dirname, '../../fixtures/claude-code');
const sample = (name: string) =>
	JSON.parse(readFileSync(join(samples, `hook-PermissionRequest-${name}.json`), 'utf8')) as Record<string, unknown>;

const called = (payload: object) => ({ event: 'PermissionRequest', payload, env: {} });

const choicesOf = (payload: object) => {
	const found = asking.read(called(payload));
	return found === 'none' ? expect.unreachable() : found.choices;
};

const decisionOf = (payload: object, given: Partial<Answer>): unknown => {
	const answer = {
		version: 1,
		question: QuestionId.parse('20261124T120000000Z-0a1b2c3d'),
		digest: '',
		effect: 'once',
		by: 'vscode',
		at: '',
		seal: '',
		...given,
	} satisfies Answer;
	const output = JSON.parse(asking.answer(called(payload), answer).stdout) as { hookSpecificOutput: object };
	return (output.hookSpecificOutput as { decision: unknown }).decision;
};

const rule = (content: string, destination: string) => ({
	type: 'addRules',
	rules: [{ toolName: 'Bash', ruleContent: content }],
	behavior: 'allow',
	destination,
});
const NO = [{ effect: 'no' }, { effect: 'end' }];

describe('what Claude Code suggests for later', () => {
	const [local, project, user] = [
		rule('ls', 'localSettings'),
		rule('pwd', 'projectSettings'),
		rule('id', 'userSettings'),
	];
	const unknown = [
		rule('ls', 'cliArg'),
		rule('ls', 'toString'),
		{ ...local, behavior: 'deny' },
		{ ...local, type: 'replaceRules' },
		{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
		{ type: 'setMode', mode: 'auto', destination: 'session' },
		{ type: 'removeRules', rules: local.rules, behavior: 'deny', destination: 'userSettings' },
		'everything',
	];
	const payload = { ...sample('Bash'), permission_suggestions: [...unknown, local, user] };

	it('is shown word by word with the file that keeps it; what Nancy cannot spell out, or widens more, is dropped', () => {
		expect(choicesOf(payload)).toEqual([
			{ effect: 'once' },
			{ effect: 'session', rule: 'Bash(ls); Bash(id)' },
			{ effect: 'folder', rule: 'Bash(ls)', keptIn: '.claude/settings.local.json' },
			{ effect: 'user', rule: 'Bash(id)', keptIn: '~/.claude/settings.json' },
			...NO,
		]);
		expect(choicesOf({ ...payload, permission_suggestions: unknown })).toEqual([{ effect: 'once' }, ...NO]);
	});

	it('is sent back for the scope that was chosen alone, and for the session into no file', () => {
		const withRules = (...updatedPermissions: object[]) => ({ behavior: 'allow', updatedPermissions });
		expect(decisionOf(payload, { effect: 'once' })).toEqual({ behavior: 'allow' });
		expect(decisionOf(payload, { effect: 'folder' })).toEqual(withRules(local));
		expect(decisionOf(payload, { effect: 'user' })).toEqual(withRules(user));
		const inMemory = [local, user].map(each => ({ ...each, destination: 'session' }));
		expect(decisionOf(payload, { effect: 'session' })).toEqual(withRules(...inMemory));
	});

	it('is offered for the folder only if one file would keep it: the answer names one', () => {
		const effects = (...suggested: object[]) =>
			choicesOf({ ...payload, permission_suggestions: suggested }).map(({ effect }) => effect);
		expect(effects(project, rule('id', 'projectSettings'))).toEqual(['once', 'session', 'folder', 'no', 'end']);
		expect(effects(local, project, user)).toEqual(['once', 'session', 'user', 'no', 'end']);
	});
});

describe('an answer to Claude Code', () => {
	it.each(['Bash', 'Write'])('never changes the input of %s: what runs is what the person saw', tool => {
		for (const effect of ['once', 'session', 'folder', 'user'] as const)
			expect(decisionOf(sample(tool), { effect, values: { command: ['rm -rf ~'] } })).not.toHaveProperty(
				'updatedInput',
			);
	});

	it('allows nothing with a No, and adds no rule', () => {
		for (const name of ['Bash', 'Write', 'ExitPlanMode', 'AskUserQuestion']) {
			expect(decisionOf(sample(name), { effect: 'no', words: 'Not now.' })).toEqual({
				behavior: 'deny',
				message: 'The user said no: Not now.',
			});
			expect(decisionOf(sample(name), { effect: 'end' })).toEqual({
				behavior: 'deny',
				message: 'The user said no.',
				interrupt: true,
			});
		}
	});

	it('approves a plan, with edits accepted only if that was chosen', () => {
		const plan = sample('ExitPlanMode');
		expect(decisionOf(plan, { effect: 'once' })).toEqual({ behavior: 'allow', updatedInput: {} });
		expect(decisionOf(plan, { effect: 'session' })).toEqual({
			behavior: 'allow',
			updatedInput: {},
			updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
		});
	});
});
