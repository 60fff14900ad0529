import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delegate } from '../../../src/core/delegates/delegate.ts';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { IN_TERMINAL } from '../../../src/core/asker/asker.ts';
import { queueDelegate } from '../../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../../src/core/delegates/tickets.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { ownWorktree } from '../../../src/git/ownWorktree.ts';
import { createWorktree } from '../../../src/git/worktree.ts';
import { mergeWorktree } from '../../../src/git/worktreeMerge.ts';
import { removeWorktree } from '../../../src/git/worktreeRemove.ts';
import { WorktreeName, type Worktree } from '../../../src/protocol/worktree.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { gitRepository, type GitRepository } from '../../support/gitRepository.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let folder: TempFolder;
let repository: GitRepository;
let delegates: Delegates;
let tickets: Tickets;

beforeEach(() => {
	folder = tempFolder();
	repository = gitRepository();
	delegates = new Delegates(new Workspace(repository.root));
	tickets = new Tickets(folder.file('data'), repository.root);
	repository.commit({ 'packages/a/a.txt': 'a' });
});
afterEach(async () => {
	await repository.remove();
	await folder.remove();
});

const queue = (place: { folder: string; worktree?: { withChanges: boolean } }): Promise<Delegate> =>
	queueDelegate(delegates, tickets, IN_TERMINAL, {
		prompt: 'Do it.',
		agent: fakeDriver.id,
		permissions: 'default',
		...place,
	});
const make = ({ record }: Delegate, root = repository.root): Promise<Worktree> =>
	createWorktree({ folder: root, name: WorktreeName.parse(record.id), withChanges: false, copyIncludes: false });

async function made(at = repository.root): Promise<{ delegate: Delegate; worktree: Worktree }> {
	const delegate = await queue({ folder: at, worktree: { withChanges: false } });
	return { delegate, worktree: await make(delegate) };
}

const refused = (worktree: Worktree) =>
	expect(ownWorktree(delegates, tickets, worktree)).rejects.toMatchObject({ code: 'not-trusted' });

describe('the worktree of a delegate', () => {
	it('is the one that Nancy made for it, also below the top folder, and while its folder there is gone', async () => {
		const { worktree } = await made(join(repository.root, 'packages', 'a'));
		expect(await ownWorktree(delegates, tickets, worktree)).toEqual(worktree);
		rmSync(join(repository.root, 'packages'), { recursive: true });
		expect(await ownWorktree(delegates, tickets, worktree)).toEqual(worktree);
	});

	it('is known while it is removed and after that', async () => {
		const { worktree } = await made();
		// As a kill between the two steps of a removal leaves it.
		renameSync(worktree.folder, join(dirname(worktree.folder), '.removing-x'));
		expect(await ownWorktree(delegates, tickets, worktree)).toEqual(worktree);
		await removeWorktree(worktree, { discard: false });
		expect(await ownWorktree(delegates, tickets, worktree)).toEqual(worktree);
	});

	it('is one that was made from another, also when that is gone', async () => {
		const { worktree } = await made();
		const later = await queue({ folder: worktree.folder, worktree: { withChanges: false } });
		repository.commit({ 'work.txt': 'work' }, 'work', worktree.folder);
		const tip = repository.git(['rev-parse', 'HEAD'], worktree.folder);
		const inner = await make(later, worktree.folder);
		expect(await ownWorktree(delegates, tickets, inner)).toEqual({ ...inner, base: tip });
		expect(await removeWorktree(worktree, { discard: false })).toMatchObject({ kept: [worktree.branch] });
		expect(await ownWorktree(delegates, tickets, inner)).toEqual({ ...inner, base: tip });
		repository.commit({ 'more.txt': 'more' }, 'more', inner.folder);
		expect(await mergeWorktree(inner, 'merge')).toMatchObject({ how: 'applied' });
		expect(existsSync(join(repository.root, 'more.txt'))).toBe(true);
		expect(await removeWorktree(inner, { discard: false })).toMatchObject({ isRemoved: true, kept: [] });
		expect(repository.git(['show', `${worktree.branch}:work.txt`])).toBe('work');
	});

	it('begins where git says, whatever its status says', async () => {
		const { worktree } = await made();
		repository.write({ 'work.txt': 'work' }, worktree.folder);
		repository.commit({ 'work.txt': 'work' }, 'work', worktree.folder);
		const tip = repository.git(['rev-parse', 'HEAD'], worktree.folder);
		expect(await ownWorktree(delegates, tickets, { ...worktree, base: tip })).toEqual(worktree);
	});

	it('is no other repository, though all names are right, and nothing of that one is run', async () => {
		const { delegate } = await made();
		await using other = gitRepository();
		const forged = await make(delegate, other.root);
		const mark = folder.file('ran');
		other.git(['config', 'core.fsmonitor', `touch '${mark}'`]);
		other.git(['config', 'filter.bad.clean', `touch '${mark}'; cat`]);
		await refused(forged);
		expect(existsSync(mark)).toBe(false);
	});

	it('is no other folder, no other branch, and no worktree of the user’s own', async () => {
		const { worktree } = await made();
		await refused({ ...worktree, folder: repository.root });
		await refused({ ...worktree, folder: `${worktree.folder}x` });
		await refused({ ...worktree, branch: 'nancy/hers', folder: join(dirname(worktree.folder), 'hers') });
		repository.git(['worktree', 'add', '-q', '-b', 'mine', join(dirname(worktree.folder), 'mine')]);
		await refused({ ...worktree, branch: 'nancy/mine', folder: join(dirname(worktree.folder), 'mine') });
	});

	it('is none that git does not know, or that Nancy did not finish', async () => {
		const folderOnly = await queue({ folder: repository.root, worktree: { withChanges: false } });
		const { worktree } = await made();
		const named = (id: string) => ({
			...worktree,
			branch: `nancy/${id}`,
			folder: join(dirname(worktree.folder), id),
		});
		const bare = named(folderOnly.record.id);
		mkdirSync(bare.folder);
		await refused(bare);
		rmSync(bare.folder, { recursive: true });
		repository.git(['worktree', 'add', '-q', '-b', bare.branch, bare.folder]);
		await refused(bare);
	});

	it('is none of a delegate that was to work in a folder, or is not the user’s as it was queued', async () => {
		const inFolder = await queue({ folder: repository.root });
		await refused(await make(inFolder));
		const brought = await made();
		await tickets.remove(brought.delegate.record.id);
		await refused(brought.worktree);
		const changed = await made();
		const record = join(delegates.folder, `${changed.delegate.record.id}.json`);
		writeFileSync(record, readFileSync(record, 'utf8').replace('"default"', '"all"'));
		await refused(changed.worktree);
	});

	it('says that the repository is gone', async () => {
		const gone = gitRepository();
		const delegate = await queue({ folder: gone.root, worktree: { withChanges: false } });
		const worktree = await make(delegate, gone.root);
		await gone.remove();
		await expect(ownWorktree(delegates, tickets, worktree)).rejects.toMatchObject({ code: 'git' });
	});
});
