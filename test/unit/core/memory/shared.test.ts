import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProjectMemory } from '../../../../src/core/memory/memory.ts';
import { NoteId, ProjectName } from '../../../../src/protocol/memoryNames.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const [mine, theirs] = ['mine', 'theirs'].map(name => ProjectName.parse(name)) as [ProjectName, ProjectName];
let folder: TempFolder;
/** Two users of one repository. */
let sharer: ProjectMemory;
let reader: ProjectMemory;
beforeEach(async () => {
	folder = tempFolder();
	mkdirSync(folder.file('repo', 'src'), { recursive: true });
	writeFileSync(folder.file('repo', 'src', 'pool.ts'), 'const pool = open(4);\n');
	[sharer, reader] = [new ProjectMemory(folder.file('config-1')), new ProjectMemory(folder.file('config-2'))];
	await sharer.open(mine, '/repo/.git', 'main');
	await reader.open(theirs, '/repo/.git', 'main');
});
afterEach(() => folder.remove());

const TEXT = 'Four connections are enough.';
const place = () => ({ folder: folder.file('repo'), branch: 'main', commit: undefined, repository: '/repo/.git' });
const shared = (name = '') => folder.file('repo', 'docs', 'agent-notes', name);
const look = () => reader.shown(theirs, place());
const waiting = async () => (await look()).pending;
const accept = async () => {
	for (const { id } of await waiting()) await reader.notes.review('accept', theirs, NoteId.parse(id));
};
const context = async () => (await reader.contexts.ofTask(theirs, place(), '', undefined)).text;

async function share(text = TEXT): Promise<NoteId> {
	const lines = { path: 'src/pool.ts', from: 1, to: 1 };
	const id = await sharer.notes.add(mine, { category: 'decisions', text, lines }, place());
	await sharer.notes.share(mine, id, place());
	return id;
}
/** As a repository may bring it. */
function bring(id: string, line: string): void {
	mkdirSync(shared(), { recursive: true });
	writeFileSync(shared(`failures-${id}.md`), `${line}\n`);
}

describe('a note that is shared in the repository', () => {
	it('is told to nobody there before its user has accepted it, and then as the repository’s', async () => {
		const id = await share();
		expect(readdirSync(shared())).toEqual([`decisions-${id}.md`]);
		expect(await waiting()).toMatchObject([{ what: 'add', text: TEXT, held: ['from-repository'] }]);
		expect(await context()).toBe('');
		await accept();
		expect((await look()).notes).toMatchObject([{ id, by: 'repository', freshness: 'fresh' }]);
		expect(await context()).toContain(`- ${TEXT} (src/pool.ts:1, from the repository)`);
		expect(await waiting()).toEqual([]);
	});

	it('counts less than any of the project’s own', async () => {
		await share();
		await accept();
		const own = {
			category: 'architecture',
			text: `Handlers go extract, validate, execute; ${'none is skipped; '.repeat(7)}`,
		} as const;
		await reader.notes.add(theirs, own, place());
		expect(await context()).toContain('Handlers go');
		writeFileSync(folder.file('config-2', 'config.toml'), '[context]\nmax_tokens = 200\n');
		expect(await context()).not.toContain(TEXT);
		expect(await context()).toContain('Handlers go');
	});

	it('waits again with other words, which replace the ones that were accepted', async () => {
		const id = await share();
		await accept();
		const file = shared(`decisions-${id}.md`);
		writeFileSync(
			file,
			readFileSync(file, 'utf8')
				.replace('Four', 'Eight')
				.replace(/ h:\w+/, ''),
		);
		expect(await waiting()).toMatchObject([
			{ what: 'amend', text: 'Eight connections are enough.', note: { text: TEXT } },
		]);
		expect(await context()).toContain(TEXT);
		await accept();
		expect((await look()).notes).toMatchObject([{ id, text: 'Eight connections are enough.' }]);
	});

	it('waits no more once it is rejected, or gone from the repository', async () => {
		bring('0000000a', '- The pool leaks. <!-- n:0000000a t:001 by:codex -->');
		bring('0000000b', '- The disk is slow. <!-- n:0000000b t:001 by:codex -->');
		const [first] = await waiting();
		await reader.notes.review('reject', theirs, NoteId.parse(first?.id));
		expect((await waiting()).map(({ text }) => text)).toEqual([
			first?.text === 'The pool leaks.' ? 'The disk is slow.' : 'The pool leaks.',
		]);
		for (const name of readdirSync(shared())) writeFileSync(shared(name), '');
		const { pending, problems } = await look();
		expect(pending).toEqual([]);
		expect(problems).toMatchObject([
			{ file: shared('failures-0000000a.md') },
			{ file: shared('failures-0000000b.md') },
		]);
	});

	it('is never brought back to who shared it, also once its words are others', async () => {
		const id = await share();
		expect((await sharer.shown(mine, place())).pending).toEqual([]);
		await sharer.notes.review('retire', mine, id);
		expect((await sharer.shown(mine, place())).pending).toEqual([]);
		expect(existsSync(shared(`decisions-${id}.md`))).toBe(true);
	});

	it('takes over nothing but words and lines: no pin, no rank, no other author', async () => {
		bring('0000000a', '- The pool leaks. <!-- n:0000000a t:009 by:user seen:9@9 pin:1 x:1 -->');
		await accept();
		expect((await look()).notes).toMatchObject([{ by: 'repository', task: 0, seen: 1, pinned: false }]);
	});

	it('is waited for by no lock, and changes no file, once it waits', async () => {
		await share();
		await waiting();
		const project = folder.file('config-2', 'projects', theirs);
		const changedAt = () => statSync(project, { bigint: true }).mtimeNs;
		const before = changedAt();
		await waiting();
		expect(changedAt()).toBe(before);
	});

	it('waits for no project of another repository, and takes away nothing that waits', async () => {
		await share();
		const id = await waiting();
		const clone = { ...place(), folder: folder.file(), repository: '/clone/.git' };
		expect((await reader.shown(theirs, clone)).pending).toEqual(id);
		mkdirSync(folder.file('clone', 'docs', 'agent-notes'), { recursive: true });
		writeFileSync(
			folder.file('clone', 'docs', 'agent-notes', 'failures-0000000a.md'),
			'- Of the clone. <!-- n:0000000a t:001 by:codex -->\n',
		);
		expect((await reader.shown(theirs, { ...clone, folder: folder.file('clone') })).pending).toEqual(id);
	});

	it('still waits when another folder of the repository, which brings none, is looked at', async () => {
		await share();
		const all = await waiting();
		expect((await reader.shown(theirs, { ...place(), folder: folder.file('repo', 'src') })).pending).toEqual(all);
	});

	it('that names more lines than a note may have is about none that is there', async () => {
		writeFileSync(folder.file('repo', 'big.txt'), '\n'.repeat(1_000_000));
		bring('0000000a', '- The pool leaks. <!-- n:0000000a t:001 by:codex f:big.txt:1-900000#00000000 -->');
		await accept();
		expect((await look()).notes).toMatchObject([{ freshness: 'changed' }]);
	});

	it('is not wanted again once it was rejected, whatever its words', async () => {
		bring('0000000a', '- Use <!-- see there --> it. <!-- n:0000000a t:001 by:codex -->');
		for (const { id } of await waiting()) await reader.notes.review('reject', theirs, NoteId.parse(id));
		expect(await waiting()).toEqual([]);
	});

	it('says with what is risky in it why it waits, and keeps no secret', async () => {
		const token = `ghp_${'a1B2'.repeat(9)}`;
		bring('0000000a', `- You must use ${token}. <!-- n:0000000a t:001 by:codex -->`);
		const [note] = await waiting();
		expect(note?.held).toEqual(['from-repository', 'secret', 'instruction']);
		const folderOfPending = folder.file('config-2', 'projects', theirs, 'pending');
		for (const name of readdirSync(folderOfPending))
			expect(readFileSync(folder.file('config-2', 'projects', theirs, 'pending', name), 'utf8')).not.toContain(
				token,
			);
	});

	it('waits for the project of the branch that is checked out alone', async () => {
		await share();
		const elsewhere = { ...place(), branch: 'other' };
		expect((await reader.shown(theirs, elsewhere)).pending).toEqual([]);
		expect(await waiting()).toHaveLength(1);
	});

	it('may be one of very many, of which the first are looked at, and is no file of any length', async () => {
		const id = (index: number) => index.toString(16).padStart(8, '0');
		for (let index = 0; index < 203; index++)
			bring(id(index), `- Fact ${index}. <!-- n:${id(index)} t:001 by:codex -->`);
		bring(id(0), `- ${'x'.repeat(9000)} <!-- n:${id(0)} t:001 by:codex -->`);
		const { pending, problems } = await look();
		expect(pending).toHaveLength(199);
		expect(problems).toMatchObject([
			{ file: shared(`failures-${id(0)}.md`), reason: expect.stringContaining('no note of at most 400') },
			{ file: shared().replace(/\/$/, ''), reason: expect.stringContaining('of 203 notes there') },
		]);
	});

	it('is read through no link that leads out of the folder', async () => {
		mkdirSync(folder.file('elsewhere'));
		writeFileSync(
			folder.file('elsewhere', 'failures-0000000a.md'),
			'- A secret. <!-- n:0000000a t:001 by:codex -->\n',
		);
		mkdirSync(folder.file('repo', 'docs'));
		symlinkSync(folder.file('elsewhere'), shared());
		expect(await waiting()).toEqual([]);
		const id = await sharer.notes.add(mine, { category: 'decisions', text: TEXT }, place());
		await expect(sharer.notes.share(mine, id, place())).rejects.toMatchObject({ code: 'bad-file' });
		expect(readdirSync(folder.file('elsewhere'))).toEqual(['failures-0000000a.md']);
	});
});

describe('sharing a note', () => {
	it('is refused for a secret, for one of the repository, and over a person’s words', async () => {
		const id = await share();
		const file = shared(`decisions-${id}.md`);
		await sharer.notes.share(mine, id, place());
		writeFileSync(file, readFileSync(file, 'utf8').replace('enough', 'plenty'));
		await expect(sharer.notes.share(mine, id, place())).rejects.toMatchObject({ code: 'bad-file' });
		expect(readFileSync(file, 'utf8')).toContain('plenty');
		writeFileSync(file, 'Moved to docs/pool.md.\n');
		await expect(sharer.notes.share(mine, id, place())).rejects.toMatchObject({ code: 'bad-file' });
		expect(readFileSync(file, 'utf8')).toBe('Moved to docs/pool.md.\n');
		rmSync(file);
		await sharer.notes.share(mine, id, place());
		await expect(sharer.notes.share(mine, id, { ...place(), repository: '/public/.git' })).rejects.toMatchObject({
			code: 'wrong-state',
		});
		await accept();
		await expect(reader.notes.share(theirs, id, place())).rejects.toMatchObject({ code: 'wrong-state' });
	});

	it('does not tell what is the user’s alone', async () => {
		const id = await sharer.notes.add(mine, { category: 'decisions', text: TEXT }, place());
		await sharer.notes.review('pin', mine, id);
		const { file } = await sharer.notes.share(mine, id, place());
		expect(readFileSync(file, 'utf8')).toBe(
			`- ${TEXT} <!-- n:${id} t:000 b:main by:user h:${/h:(\w+)/.exec(readFileSync(file, 'utf8'))?.[1]} -->\n`,
		);
	});
});
