import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { IN_WINDOW } from '../../../src/core/asker/asker.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { BegunMerges, type BegunMerge } from '../../../src/core/worktrees/begunMerges.ts';
import { TaskWorktrees } from '../../../src/core/worktrees/taskWorktrees.ts';
import { createWorktree } from '../../../src/git/worktree.ts';
import { mergeWorktree } from '../../../src/git/worktreeMerge.ts';
import * as operations from '../../../src/operations/index.ts';
import { perform, type OperationContext } from '../../../src/operations/operation.ts';
import { noteMerge } from '../../../src/operations/shared/settleMerges.ts';
import { DriverId, FIRST_WORKER, TaskName } from '../../../src/protocol/names.ts';
import { branchOf, WorktreeName } from '../../../src/protocol/worktree.ts';
import { gitRepository, lines, type GitRepository } from '../../support/gitRepository.ts';
import { killedAt } from '../../support/killedAt.ts';
import { contextOf } from '../../support/operationContext.ts';
import { killPoints, strideOr } from '../../support/rounds.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

/** How many file calls lie between one kill and the next. */
const STRIDE = strideOr(83);

const task = TaskName.parse('fix');
const agent = DriverId.parse('fake');

/** A worktree of a task, with changes of its agent. */
async function begin(repo: GitRepository, workspace: Workspace, withChanges: boolean) {
	appendFileSync(join(repo.root, '.git/config'), '[user]\n\tname = The User\n\temail = user@example.com\n');
	repo.commit({ 'gone.txt': 'g' });
	if (withChanges) repo.write({ 'a.txt': lines('a', { 6: 'mine' }), 'untracked.txt': 'u' });
	const name = WorktreeName.parse('fix');
	const worktree = await createWorktree({ folder: repo.root, name, withChanges, copyIncludes: false });
	const tasks = new TaskWorktrees(workspace.own);
	await tasks.ask(name, { task, repository: worktree.repository, by: identify(process.pid) });
	await tasks.handTo(name, FIRST_WORKER);
	await workspace.createTask(taskRecord(task, agent));
	const startedAt = new Date().toISOString();
	await workspace.saveWorker({ version: 1, task, name: FIRST_WORKER, agent, sessions: [], startedAt, worktree });
	repo.write({ 'b.txt': 'theirs', 'new/one.txt': 'new' }, worktree.folder);
	rmSync(join(worktree.folder, 'gone.txt'));
	return { worktree, merges: tasks.merges(name) };
}

/** The record of a worktree of the task, as it was asked for. */
async function taskWorktree(workspace: Workspace, of: string) {
	const name = WorktreeName.parse(of);
	const tasks = new TaskWorktrees(workspace.own);
	await tasks.ask(name, { task, repository: '/repository', by: identify(process.pid) });
	return { merges: tasks.merges(name) };
}

function aMerge(name: string, at: string): BegunMerge {
	const worktree = { repository: '/repository', folder: `/wt/${name}`, branch: branchOf(name), base: '0'.repeat(40) };
	return { worktree, merge: { how: 'merged', at, head: '0'.repeat(40), commit: '1'.repeat(40) } };
}

/** What a person sees of the checkout. */
function checkout(repo: GitRepository) {
	const { files, status, head, stash } = repo.state() as Record<string, unknown>;
	return { files, status, head, stash, staged: repo.git(['diff', '--cached']) };
}

describe('a merge that is killed', () => {
	it.concurrent.each([
		{ what: 'a merge commit', withChanges: false },
		{ what: 'uncommitted changes', withChanges: true },
	])('before any of its file calls can be undone, or has not come to be: $what', async ({ withChanges }) => {
		const ends = new Set<string>();
		for (const killAt of killPoints(STRIDE)) {
			await using repo = gitRepository();
			await using home = tempFolder();
			const workspace = new Workspace(home.file('project'), home.file('data'));
			const context = contextOf(home, workspace);
			const { worktree, merges } = await begin(repo, workspace, withChanges);
			const before = checkout(repo);

			const ended = await killedAt(killAt, 'mergeOnce', [home.path, JSON.stringify(worktree)]);

			const isMerged = JSON.stringify(checkout(repo)) !== JSON.stringify(before);
			const isNoted = (await merges.list()).length > 0;
			await perform(await operations.settleMerges(), IN_WINDOW, {}, context);
			const mergedAt = (await workspace.worker({ task, worker: FIRST_WORKER }))?.worktree?.mergedAt;
			expect({
				killAt,
				begun: new BegunMerges(workspace.own).branches(),
				merges: (await merges.list()).length,
				isShown: mergedAt !== undefined,
			}).toEqual({ killAt, begun: [], merges: isMerged ? 1 : 0, isShown: isMerged });
			if (isMerged) {
				const undone = await perform(await operations.undoMerge(), IN_WINDOW, { worktree }, context);
				expect({ killAt, undone }).toEqual({ killAt, undone: { ok: true } });
				expect(checkout(repo)).toEqual(before);
				expect(await merges.list()).toEqual([]);
			}
			ends.add(`${isMerged ? 'merged' : 'not merged'}${isNoted ? ', noted' : ''}`);
			if (ended === 'finished') break;
			expect(ended).toBe('SIGKILL');
		}
		expect([...ends]).toEqual(expect.arrayContaining(['not merged', 'merged, noted']));
	});

	describe.each([
		{ what: 'a merge commit', withChanges: false },
		{ what: 'uncommitted changes', withChanges: true },
	])('as $what', ({ withChanges }) => {
		let repo: GitRepository;
		let home: TempFolder;
		let context: OperationContext;
		let begun: BegunMerges;
		beforeEach(() => {
			repo = gitRepository();
			home = tempFolder();
			context = contextOf(home, new Workspace(home.file('project'), home.file('data')));
			begun = new BegunMerges(context.workspace.own);
		});
		afterEach(async () => {
			await repo.remove();
			await home.remove();
		});

		it('is forgotten by the next window if the checkout was not changed', async () => {
			const { worktree, merges } = await begin(repo, context.workspace, withChanges);
			const before = checkout(repo);
			const killed = mergeWorktree(worktree, 'Merge it', async merge => {
				await begun.add({ worktree, merge });
				throw new Error('killed');
			});
			await expect(killed).rejects.toThrow('killed');
			expect(checkout(repo)).toEqual(before);
			expect(begun.branches()).toHaveLength(1);
			await perform(await operations.settleMerges(), IN_WINDOW, {}, context);
			expect(begun.branches()).toEqual([]);
			expect(await merges.list()).toEqual([]);
		});

		it.each(['by the next window', 'at an undo'])('is found %s if the checkout was changed', async how => {
			const { worktree, merges } = await begin(repo, context.workspace, withChanges);
			const before = checkout(repo);
			await mergeWorktree(worktree, 'Merge it', merge => begun.add({ worktree, merge }));
			expect(await merges.list()).toEqual([]);
			if (how === 'by the next window') {
				await perform(await operations.settleMerges(), IN_WINDOW, {}, context);
				expect(await merges.list()).toHaveLength(1);
			}
			expect(await perform(await operations.undoMerge(), IN_WINDOW, { worktree }, context)).toEqual({ ok: true });
			expect(checkout(repo)).toEqual(before);
			expect(begun.branches()).toEqual([]);
		});

		it('that is refused leaves nothing begun', async () => {
			const { worktree } = await begin(repo, context.workspace, withChanges);
			repo.write({ 'b.txt': 'mine' });
			const merging = perform(await operations.mergeWorktree(), IN_WINDOW, { worktree, message: 'm' }, context);
			expect(await merging).toMatchObject({ ok: false });
			expect(begun.branches()).toEqual([]);
		});
	});

	it('with a part of its files written counts, and an undo takes that part back', async () => {
		await using repo = gitRepository();
		await using home = tempFolder();
		const context = contextOf(home, new Workspace(home.file('project'), home.file('data')));
		const { worktree, merges } = await begin(repo, context.workspace, true);
		const before = checkout(repo);
		const killed = mergeWorktree(worktree, 'Merge it', async merge => {
			await new BegunMerges(context.workspace.own).add({ worktree, merge });
			repo.write({ 'b.txt': 'theirs' });
			throw new Error('killed');
		});
		await expect(killed).rejects.toThrow('killed');
		await perform(await operations.settleMerges(), IN_WINDOW, {}, context);
		expect(await merges.list()).toHaveLength(1);
		expect(await perform(await operations.undoMerge(), IN_WINDOW, { worktree }, context)).toEqual({ ok: true });
		expect(checkout(repo)).toEqual(before);
	});

	it('leaves the next merge begun that another process has begun meanwhile', async () => {
		await using home = tempFolder();
		const context = contextOf(home, new Workspace(home.file('project'), home.file('data')));
		const [first, next] = [aMerge('fix', '2026-11-01T10:00:00.000Z'), aMerge('fix', '2026-11-01T10:00:01.000Z')];
		const begun = new BegunMerges(context.workspace.own);
		const { merges } = await taskWorktree(context.workspace, 'fix');
		for (const merge of [first, next]) await merges.add(merge.merge);
		await begun.add(next);
		await noteMerge(context, first);
		expect(await begun.of(first.worktree.branch)).toEqual(expect.objectContaining(next));
		expect(await merges.list()).toEqual([first.merge, next.merge]);
		await noteMerge(context, next);
		expect(begun.branches()).toEqual([]);
	});

	it('is settled although the record of another one is unreadable, which is named and left', async () => {
		await using repo = gitRepository();
		await using home = tempFolder();
		const notes: string[] = [];
		const workspace = new Workspace(home.file('project'), home.file('data'));
		const context = contextOf(home, workspace, { note: text => notes.push(text) });
		const { worktree, merges } = await begin(repo, workspace, false);
		const begun = new BegunMerges(workspace.own);
		await mergeWorktree(worktree, 'Merge it', merge => begun.add({ worktree, merge }));
		const broken = aMerge('broken', '2026-11-01T10:00:00.000Z');
		await begun.add(broken);
		const file = workspace.own.path('begun-merges', 'broken.json');
		writeFileSync(file, '{"version":1,');
		await perform(await operations.settleMerges(), IN_WINDOW, {}, context);
		expect(await merges.list()).toHaveLength(1);
		expect(begun.branches()).toEqual([broken.worktree.branch]);
		expect(notes).toEqual([expect.stringContaining(`the merge of ${broken.worktree.branch} is not settled`)]);
		expect(notes[0]).toContain(file);
		expect(readFileSync(file, 'utf8')).toBe('{"version":1,');
	});
});
