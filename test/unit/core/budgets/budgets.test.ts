import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Budgets } from '../../../../src/core/budgets/budgets.ts';
import { levelOf } from '../../../../src/core/budgets/level.ts';
import { OwnFolder } from '../../../../src/core/files/ownFolder.ts';
import { budgetText, parseBudget } from '../../../../src/protocol/budget.ts';
import { DelegateId } from '../../../../src/protocol/delegate.ts';
import { TaskName } from '../../../../src/protocol/names.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { failFiles } from '../../../support/failingFiles.ts';
import { writeFileSync } from 'node:fs';

describe('parseBudget', () => {
	it.each([
		['200k', { tokens: 200_000 }],
		['1.5M', { tokens: 1_500_000 }],
		[' 200000 ', { tokens: 200_000 }],
		['1000', { tokens: 1000 }],
		['200k tokens', { tokens: 200_000 }],
		['500 Tokens', { tokens: 500 }],
		['2.5k', { tokens: 2500 }],
		['$2', { costUsd: 2 }],
		['$ 0.50', { costUsd: 0.5 }],
	])('reads %j', (typed, budget) => expect(parseBudget(typed)).toEqual(budget));

	it.each(['', '0', '$0', '-5', '2$', '200 kilo', '1e9', 'none', '0 tokens', '2.5 tokens'])('refuses %j', typed =>
		expect(parseBudget(typed)).toBeUndefined(),
	);

	it.each(['2', '2.5', '999', '2000.5'])('refuses %j, which may be meant as dollars', typed =>
		expect(parseBudget(typed)).toBeUndefined(),
	);

	it('reads what is written', () => {
		for (const typed of ['200k', '1.5M', '1234', '500 tokens', '$2', '$0.5'])
			expect(budgetText(parseBudget(typed)!)).toBe(typed);
	});
});

describe('the level of a budget', () => {
	const use = (inputTokens: number, costUsd?: number) => ({
		inputTokens,
		outputTokens: 0,
		...(costUsd !== undefined && { costUsd }),
	});

	it.each([
		[{ tokens: 100 }, undefined, 'ok'],
		[{ tokens: 100 }, use(79), 'ok'],
		[{ tokens: 100 }, use(80), 'near'],
		[{ tokens: 100 }, use(100), 'spent'],
		[{ costUsd: 2 }, use(1_000_000), 'ok'],
		[{ costUsd: 2 }, use(0, 1.7), 'near'],
	] as const)('of %j with %j is %s', (budget, used, level) => expect(levelOf(budget, used)).toBe(level));
});

describe('Budgets', () => {
	const task = { task: TaskName.parse('fix') };
	const delegate = { delegate: DelegateId.parse('fix') };
	let folder: TempFolder;
	let budgets: Budgets;
	beforeEach(() => {
		folder = tempFolder();
		budgets = new Budgets(new OwnFolder(folder.file('data'), folder.path));
	});
	afterEach(() => folder.remove());

	it('keeps one for each owner, and forgets it', async () => {
		await budgets.set(task, { tokens: 5 });
		await budgets.set(delegate, { costUsd: 1 });
		expect(await budgets.of(task)).toEqual({ tokens: 5 });
		expect(await budgets.all()).toEqual(
			new Map([
				['task.fix', { tokens: 5 }],
				['delegate.fix', { costUsd: 1 }],
			]),
		);
		await budgets.set(task, undefined);
		expect(await budgets.of(task)).toBeUndefined();
		expect((await budgets.all()).size).toBe(1);
	});

	it('reads the tokens of a record with tokens and dollars', async () => {
		const own = new OwnFolder(folder.file('data'), folder.path);
		await own.write({ version: 1, budget: { tokens: 5, costUsd: 2 } }, 'budgets', 'budget.task.fix.json');
		expect(await budgets.of(task)).toEqual({ tokens: 5 });
	});

	it('is not gone while the disk cannot be read; one that does not parse is none', async () => {
		await budgets.set(task, { tokens: 5 });
		await budgets.set(delegate, { costUsd: 1 });
		const file = new OwnFolder(folder.file('data'), folder.path).path('budgets', 'budget.task.fix.json');
		{
			using _ = failFiles('open', path => path === file, 'EIO');
			await expect(budgets.all()).rejects.toThrow('EIO');
		}
		writeFileSync(file, '{');
		expect([...(await budgets.all()).keys()]).toEqual(['delegate.fix']);
	});

	it('lets exactly one caller tell the user, until another budget is set', async () => {
		await budgets.set(task, { tokens: 5 });
		const asked = () => Promise.all([1, 2, 3].map(() => budgets.mayTell(task, 'near')));
		expect((await asked()).filter(Boolean)).toHaveLength(1);
		expect((await asked()).filter(Boolean)).toHaveLength(0);
		expect(await budgets.mayTell(task, 'spent')).toBe(true);
		await budgets.set(task, { tokens: 6 });
		expect((await asked()).filter(Boolean)).toHaveLength(1);
	});

	it('knows a budget as used up until it is raised, and not for a task with the name of another one’s file', async () => {
		await budgets.noteLevel(task, 'spent');
		await budgets.noteLevel(task, 'spent');
		expect(budgets.isSpent(task)).toBe(true);
		expect(budgets.isSpent(delegate)).toBe(false);
		expect(budgets.isSpent({ task: TaskName.parse('task.fix') })).toBe(false);
		await budgets.set(task, { tokens: 6 });
		expect(budgets.isSpent(task)).toBe(false);
	});

	it('shows by its look that one was set, raised or taken away', async () => {
		const looks = [await budgets.look()];
		for (const budget of [{ tokens: 5 }, { tokens: 6 }, undefined]) {
			await budgets.set(task, budget);
			looks.push(await budgets.look());
		}
		expect(new Set(looks).size).toBe(4);
	});
});
