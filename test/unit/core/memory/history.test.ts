import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProjectMemory } from '../../../../src/core/memory/memory.ts';
import { anchorAt, lineHashes } from '../../../../src/core/memory/freshness.ts';
import { lineOf } from '../../../../src/core/memory/noteFile.ts';
import { memoryPlace } from '../../../../src/operations/shared/memory.ts';
import { NoteId, ProjectName } from '../../../../src/protocol/memoryNames.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository, type GitRepository } from '../../../support/gitRepository.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const name = ProjectName.parse('tried');
const POOL = 'import a;\nconst pool = open(4);\nconst wait = 3;\nexport { pool };\n';

let repo: GitRepository;
let folder: TempFolder;
let memory: ProjectMemory;
beforeEach(async () => {
	[repo, folder] = [gitRepository(), tempFolder()];
	memory = new ProjectMemory(folder.path);
	repo.git(['checkout', '--quiet', '-b', 'feature']);
	repo.commit({ 'src/pool.ts': POOL }, 'Open a pool');
	const { repository, branch, commit } = await memoryPlace(repo.root);
	await memory.open(name, repository, branch);
	const anchor = anchorAt('src/pool.ts', lineHashes(POOL), 2, 3);
	mkdirSync(folder.file('projects', name, 'notes'));
	const note = lineOf({
		id: NoteId.parse('3f9a1c00'),
		category: 'failures',
		text: 'The pool leaks.',
		task: 1,
		by: 'codex',
		commit,
		branch,
		anchors: anchor ? [anchor] : [],
		seen: 1,
		seenIn: 1,
		isPinned: false,
	});
	writeFileSync(folder.file('projects', name, 'notes', 'failures.md'), `${note}\n`);
});
afterEach(async () => {
	await repo.remove();
	await folder.remove();
});

/** How the note stands in a folder, and whether a task there is told it. */
async function stands(at = repo.root): Promise<[string | undefined, boolean]> {
	const place = await memoryPlace(at);
	const { notes } = await memory.shown(name, place);
	const { text } = await memory.contexts.ofTask(name, place, '', undefined);
	return [notes[0]?.freshness, text.includes('The pool leaks.')];
}

describe('a note about lines', () => {
	it('holds after a rebase that its commit is gone with, and below new lines it has moved', async () => {
		repo.git(['checkout', '--quiet', 'main']);
		repo.commit({ 'other.ts': 'x\n' }, 'Other');
		repo.git(['rebase', '--quiet', 'main', 'feature']);
		repo.git(['reflog', 'expire', '--expire=now', '--all']);
		repo.git(['gc', '--quiet', '--prune=now']);
		const [note] = (await memory.state(name)).notes;
		expect(() => repo.git(['cat-file', '-e', `${note?.commit}`])).toThrow();
		expect(await stands()).toEqual(['fresh', true]);
		repo.commit({ 'src/pool.ts': `// new\n${POOL}` });
		expect(await stands()).toEqual(['moved', true]);
	});

	it('holds on the branch that it was squashed into, once its own is deleted', async () => {
		repo.git(['checkout', '--quiet', 'main']);
		expect(await stands()).toEqual(['elsewhere', false]);
		repo.git(['merge', '--quiet', '--squash', 'feature']);
		repo.git(['commit', '--quiet', '-m', 'Squashed']);
		repo.git(['branch', '--quiet', '-D', 'feature']);
		expect(await stands()).toEqual(['fresh', true]);
	});

	it('is gone with the name of its file', async () => {
		repo.git(['mv', 'src/pool.ts', 'src/pools.ts']);
		repo.git(['commit', '--quiet', '-m', 'Rename']);
		expect((await stands())[0]).toBe('gone');
	});

	it('is of the same project in a linked worktree, and not told where its lines are not', async () => {
		const linked = join(repo.root, '..', 'linked');
		repo.git(['worktree', 'add', '--quiet', '-b', 'third', linked, 'main']);
		expect((await memoryPlace(linked)).repository).toBe((await memoryPlace(repo.root)).repository);
		expect(await stands(linked)).toEqual(['elsewhere', false]);
	});

	it('holds in a shallow clone, with a detached head, and outside of git', async () => {
		const clone = folder.file('clone');
		repo.git(['clone', '--quiet', '--depth', '1', '--branch', 'feature', `file://${repo.root}`, clone]);
		expect(await stands(clone)).toEqual(['fresh', true]);
		repo.git(['checkout', '--quiet', '--detach']);
		expect(await stands()).toEqual(['fresh', true]);
		const bare = folder.file('bare');
		mkdirSync(join(bare, 'src'), { recursive: true });
		writeFileSync(join(bare, 'src', 'pool.ts'), POOL);
		expect(await stands(bare)).toEqual(['fresh', true]);
		expect((await memoryPlace(bare)).branch).toBeUndefined();
	});
});
