import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LearningProject } from '../../../support/learningProject.ts';
import { called, prompted } from '../../../support/taskTraffic.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { ProjectName } from '../../../../src/protocol/memoryNames.ts';
import { long } from '../../../support/long.ts';

let folder: TempFolder;
let project: LearningProject;
beforeEach(async () => {
	folder = tempFolder();
	project = new LearningProject(folder);
	await project.open();
});
afterEach(() => folder.remove());

const limit = (calls: number) =>
	writeFileSync(folder.file('config', 'config.toml'), `[extraction]\nper_day = ${calls}\n`);
const failing = () => [
	prompted('Make it'),
	...called('Bash', { command: 'npm test' }, 'the pool needs DB_URL to be set', 'tool-failed'),
];
const claim = () => project.memory.extractions.claim(project.name, undefined, false);
const states = async () => (await project.memory.state(project.name)).tasks.map(({ extraction }) => extraction.state);
const count = (all: readonly string[], one: string) => all.filter(each => each === one).length;

/** Asks about one task after another, until there is none or the limit is reached. @returns calls, and why there was no more */
async function askAll(): Promise<{ calls: number; why: unknown }> {
	for (let calls = 0; ; calls++) {
		const claimed = await claim().catch((error: unknown) => error as Error);
		if (!claimed || claimed instanceof Error) return { calls, why: claimed?.message };
		const { number } = claimed.task;
		const text = JSON.stringify({ summary: `Did ${number}.`, plan: null, updates: [] });
		await project.memory.extractions.answer(project.name, number, { text });
		await project.memory.extractions.merge(project.name, number);
	}
}

describe('the calls for notes of a day', () => {
	it(
		'are one for each of fifty tasks, and forty by default; the other tasks stay due, and it says so',
		long,
		async () => {
			for (let at = 0; at < 50; at++) await project.task(failing());
			expect(await askAll()).toEqual({
				calls: 40,
				why: '40 extractions were made today, which is the limit (extraction.per_day in config.toml)',
			});
			expect(await states()).toEqual([...Array(40).fill('merged'), ...Array(10).fill('due')]);
			const { projects } = await project.memory.listed(project.name);
			expect(projects).toMatchObject([{ tasks: 50, due: 10 }]);
			limit(1000);
			expect(await askAll()).toEqual({ calls: 10, why: undefined });
			expect(count(await states(), 'merged')).toBe(50);
		},
	);

	it('count each try, of each project', async () => {
		limit(3);
		const other = ProjectName.parse('other');
		await project.memory.open(other, project.place.repository, 'main');
		await project.task(failing());
		await project.task(failing());
		for (let tries = 0; tries < 2; tries++) {
			await claim();
			await project.memory.extractions.answer(project.name, 1, { cause: 'malformed' });
		}
		expect(await claim()).toMatchObject({ task: { number: 2 } });
		await expect(project.memory.extractions.claim(project.name, 1, true)).rejects.toMatchObject({
			code: 'wrong-state',
		});
	});

	it('are no more than that if several windows ask at once', async () => {
		limit(1);
		for (let at = 0; at < 4; at++) await project.task(failing());
		const asked = await Promise.allSettled(
			[1, 2, 3, 4].map(number => project.memory.extractions.claim(project.name, number, false)),
		);
		expect(asked.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
		expect(count(await states(), 'running')).toBe(1);
	});
});
