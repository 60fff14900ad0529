import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProjectMemory } from '../../../../src/core/memory/memory.ts';
import { NoteId, ProjectName } from '../../../../src/protocol/memoryNames.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { seedWaitingNote } from '../../../support/seedMemory.ts';

const name = ProjectName.parse('my-feature');
let folder: TempFolder;
let memory: ProjectMemory;
beforeEach(async () => {
	folder = tempFolder();
	mkdirSync(folder.file('repo', 'src'), { recursive: true });
	writeFileSync(folder.file('repo', 'src', 'pool.ts'), 'import a;\nconst pool = open(4);\nexport { pool };\n');
	memory = new ProjectMemory(folder.file('config'));
	await memory.open(name, '/repo/.git', 'main');
});
afterEach(() => folder.remove());

const place = () => ({ folder: folder.file('repo'), branch: 'main', commit: 'c'.repeat(40), repository: '/repo/.git' });
const notesFile = (file: string) => folder.file('config', 'projects', name, 'notes', file);
const read = (file: string) => readFileSync(notesFile(file), 'utf8');

describe('what waits for a person', () => {
	it('is shown as a change of its file that accepting it makes, byte for byte', async () => {
		mkdirSync(notesFile(''), { recursive: true });
		writeFileSync(notesFile('failures.md'), '# Pitfalls\n\n- Build first.\n');
		const id = seedWaitingNote(folder.file('config'), name);
		const { file, before, after } = await memory.proposal(name, id);
		expect([file, before]).toEqual(['failures.md', '# Pitfalls\n\n- Build first.\n']);
		expect(read('failures.md')).toBe(before);
		await memory.notes.review('accept', name, id);
		expect(read('failures.md')).toBe(after);
		expect(after).toContain('- Always run the tests with DB_URL. <!-- n:');
		await expect(memory.proposal(name, id)).rejects.toMatchObject({ code: 'no-task' });
	});

	it('may be a plan, or a note that is to go', async () => {
		mkdirSync(notesFile(''), { recursive: true });
		writeFileSync(notesFile('decisions.md'), '- Kept.\n- Old. <!-- n:0000000a t:001 by:codex -->\n');
		const plan = seedWaitingNote(folder.file('config'), name, { change: { op: 'plan', text: 'Task 2: Ship it' } });
		expect(await memory.proposal(name, plan)).toMatchObject({
			file: 'plan.md',
			before: '',
			after: expect.stringContaining('Task 2: Ship it'),
		});
		const gone = seedWaitingNote(folder.file('config'), name, {
			change: { op: 'retire', id: NoteId.parse('0000000a'), reason: 'It is wrong.' },
		});
		const { file, after } = await memory.proposal(name, gone);
		expect([file, after.includes('Old.'), after.includes('Kept.')]).toEqual(['decisions.md', false, true]);
	});

	it('is accepted in a person’s words, which no agent changes from then on', async () => {
		const id = seedWaitingNote(folder.file('config'), name);
		await memory.notes.review('accept', name, id, '  The tests need\nDB_URL. ');
		const { notes, pending } = await memory.state(name);
		expect(pending).toEqual([]);
		expect(notes).toMatchObject([{ text: 'The tests need DB_URL.', by: 'user', task: 1, isEdited: false }]);
	});

	it('is not accepted in words that have a secret, and a plan has no words of its own', async () => {
		const id = seedWaitingNote(folder.file('config'), name);
		const token = `ghp_${'a1B2'.repeat(9)}`;
		await expect(memory.notes.review('accept', name, id, `Use ${token}.`)).rejects.toMatchObject({
			code: 'bad-usage',
		});
		const plan = seedWaitingNote(folder.file('config'), name, { change: { op: 'plan', text: 'Task 2: Ship it' } });
		await expect(memory.notes.review('accept', name, plan, 'Other')).rejects.toMatchObject({ code: 'wrong-state' });
		expect((await memory.state(name)).pending).toHaveLength(2);
	});
});

describe('a note of a person’s own', () => {
	const lines = { path: 'src/pool.ts', from: 2, to: 2 };
	const own = { category: 'decisions', text: 'Four connections are enough.', lines } as const;

	it('is anchored to its lines, and is one note if it is written twice', async () => {
		const id = await memory.notes.add(name, own, place());
		expect(await memory.notes.add(name, own, place())).toBe(id);
		const { notes } = await memory.shown(name, place());
		expect(notes).toMatchObject([{ id, by: 'user', task: 0, freshness: 'fresh', places: ['src/pool.ts:2-2'] }]);
		writeFileSync(folder.file('repo', 'src', 'pool.ts'), '// new\nimport a;\nconst pool = open(4);\n');
		expect((await memory.shown(name, place())).notes).toMatchObject([
			{ freshness: 'moved', places: ['src/pool.ts:3-3'] },
		]);
	});

	it('needs lines that are there, inside the folder', async () => {
		for (const path of ['src/none.ts', '../config/config.toml'])
			await expect(
				memory.notes.add(name, { ...own, lines: { path, from: 1, to: 1 } }, place()),
			).rejects.toMatchObject({
				code: 'bad-usage',
			});
		await expect(
			memory.notes.add(name, { ...own, lines: { ...lines, from: 9, to: 9 } }, place()),
		).rejects.toMatchObject({
			code: 'bad-usage',
		});
	});
});

describe('a folder', () => {
	it('has the projects of its repository, but for archived ones, and names those that cannot be read', async () => {
		const here = { ...place(), repository: '/repo/.git' };
		await memory.open(ProjectName.parse('other'), '/other/.git', 'main');
		await memory.open(ProjectName.parse('old'), '/repo/.git', 'main');
		await memory.setStatus(ProjectName.parse('old'), 'archived');
		mkdirSync(folder.file('config', 'projects', 'broken'));
		writeFileSync(folder.file('config', 'projects', 'broken', 'project.toml'), 'name =');
		seedWaitingNote(folder.file('config'), name);
		const { projects, problems } = await memory.ofFolder(here);
		expect(projects).toMatchObject([
			{ project: name, pending: 1, known: { folder: folder.file('config', 'projects', name) } },
		]);
		expect(problems).toMatchObject([{ file: 'broken' }]);
	});
});

describe('a paused project', () => {
	it('tells nothing and asks for no notes, until it goes on', async () => {
		await memory.notes.add(name, { category: 'decisions', text: 'Four connections are enough.' }, place());
		await memory.setStatus(name, 'paused');
		expect(await memory.open(name, '/repo/.git', 'main')).toMatchObject({ status: 'paused' });
		expect(await memory.contexts.ofTask(name, place(), '', undefined)).toMatchObject({ text: '', told: [] });
		await expect(memory.extractions.claim(name, undefined, false)).rejects.toMatchObject({ code: 'wrong-state' });
		await memory.setStatus(name, 'active');
		expect((await memory.contexts.ofTask(name, place(), '', undefined)).text).toContain('Four connections');
		expect(await memory.extractions.claim(name, undefined, false)).toBeUndefined();
	});
});
