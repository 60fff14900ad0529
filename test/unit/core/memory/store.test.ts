import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProjectMemory } from '../../../../src/core/memory/memory.ts';
import { MemoryStore } from '../../../../src/core/memory/store.ts';
import { DriverId } from '../../../../src/protocol/names.ts';
import { ProjectName } from '../../../../src/protocol/memoryNames.ts';
import { countCalls } from '../../../support/countedCalls.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const name = ProjectName.parse('tried');

let folder: TempFolder;
beforeEach(() => {
	folder = tempFolder();
});
afterEach(() => folder.remove());

describe('a notes file that a person saves while Nancy changes it', () => {
	const saved = () => folder.file('projects', name, 'notes', 'plan.md');
	beforeEach(() => mkdirSync(folder.file('projects', name, 'notes'), { recursive: true }));

	it('gets the change in what the person saved', async () => {
		const project = new MemoryStore(folder.path).folderOf(name);
		writeFileSync(saved(), 'one\n');
		let looks = 0;
		await project.changeText('plan.md', text => {
			if (looks++ === 0) writeFileSync(saved(), 'one\ntwo, by a person\n');
			return `${text}three\n`;
		});
		expect(readFileSync(saved(), 'utf8')).toBe('one\ntwo, by a person\nthree\n');
		expect(readdirSync(folder.file('projects', name, 'notes'))).toEqual(['plan.md']);
	});

	it('stays as it was saved last if that never ends', async () => {
		const project = new MemoryStore(folder.path).folderOf(name);
		let looks = 0;
		const changing = project.changeText('plan.md', text => {
			writeFileSync(saved(), `saved ${++looks}\n`);
			return `${text}three\n`;
		});
		await expect(changing).rejects.toMatchObject({ code: 'busy' });
		expect(readFileSync(saved(), 'utf8')).toBe(`saved ${looks}\n`);
	});
});

it('reads other tasks only for a write that changes what is counted', async () => {
	const memory = new ProjectMemory(folder.path);
	await memory.open(name, folder.path, undefined);
	const project = new MemoryStore(folder.path).folderOf(name);
	const agent = DriverId.parse('claude-code');
	const about = {
		prompt: 'Go',
		agent,
		folder: folder.path,
		told: [],
		output: '',
		startedAt: new Date(0).toISOString(),
	};
	for (let each = 0; each < 20; each++) await project.addTask({ ...about, extraction: { state: 'due', tries: 0 } });
	const task = await project.task(20);
	const record = () => readFileSync(folder.file('projects', name, 'project.toml'), 'utf8');

	const opened = countCalls('open');
	const isOther = (path: string) => /\/0(?:0\d|1\d)-go\.json$/.test(path);
	await project.writeTask({ ...task, extraction: { state: 'running', tries: 1 } });
	const [unchanged] = [opened.count('open', isOther)];
	const usage = { inputTokens: 7 };
	await project.writeTask({ ...task, extraction: { state: 'answered', tries: 1, usage } });
	const changed = opened.count('open', isOther);
	opened.stop();
	expect([unchanged, changed]).toEqual([0, 19]);
	expect(record()).toMatch(/^tasks = 20$[^]*^extraction_input_tokens = 7$/m);
});

it('counts what every try of an extraction has used, and keeps a summary back that was held before', async () => {
	const memory = new ProjectMemory(folder.path);
	await memory.open(name, folder.path, undefined);
	const place = {
		folder: folder.path,
		repository: folder.path,
		branch: undefined,
		commit: undefined,
		head: undefined,
	};
	const agent = DriverId.parse('claude-code');
	const { number } = await memory.tasks.begin(name, { prompt: 'Go', agent, folder: folder.path, told: [] }, place);
	const first = { cause: 'malformed' as const, usage: { inputTokens: 100, costUsd: 0.5 } };
	await memory.extractions.answer(name, number, first);
	const project = new MemoryStore(folder.path).folderOf(name);
	const task = await project.task(number);
	await project.writeTask({ ...task, extraction: { ...task.extraction, summaryHeld: ['from-outside'] } });
	await project.writeDigest(number, '## e1 command\nls\n');
	const claimed = await memory.extractions.claim(name, number, true);
	expect(claimed?.task.extraction).toMatchObject({ state: 'running', summaryHeld: ['from-outside'] });
	const text = JSON.stringify({ summary: 'Done.', plan: null, updates: [] });
	const { extraction } = await memory.extractions.answer(name, number, {
		text,
		usage: { inputTokens: 20, outputTokens: 3 },
	});
	expect(extraction).toMatchObject({ state: 'answered', usage: { inputTokens: 120, outputTokens: 3, costUsd: 0.5 } });
});
