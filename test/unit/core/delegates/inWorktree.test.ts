import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delegate } from '../../../../src/core/delegates/delegate.ts';
import { Delegates } from '../../../../src/core/delegates/delegates.ts';
import { busyIn, mergeOf, standingWorktree, worktreeOf } from '../../../../src/core/delegates/inWorktree.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import type { DelegateState } from '../../../../src/protocol/delegate.ts';
import type { MergeRecord } from '../../../../src/protocol/merge.ts';
import type { Worktree } from '../../../../src/protocol/worktree.ts';
import { seedDelegate } from '../../../support/delegateSeeds.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let store: Delegates;

beforeEach(() => {
	folder = tempFolder();
	store = new Delegates(new Workspace(folder.file('project')));
});
afterEach(() => folder.remove());

const inFolder = (path: string, state: DelegateState = 'done') =>
	seedDelegate(store, { title: 'x', state, place: { is: 'folder', folder: path } });

/** @param name of the worktree, where it is not the delegate's own */
async function inWorktree(name?: string): Promise<{ delegate: Delegate; worktree: Worktree }> {
	const place = { is: 'worktree', folder: folder.file('project'), withChanges: false } as const;
	const { record } = await seedDelegate(store, { title: 'x', state: 'done', place });
	const at = name ?? record.id;
	const worktree: Worktree = {
		repository: folder.file('project'),
		folder: folder.file('project.worktrees', at),
		branch: `nancy/${at}`,
		base: '0'.repeat(40),
	};
	await store.writeStatus(record.id, { ...(await store.get(record.id)).status, worktree });
	return { delegate: await store.get(record.id), worktree };
}

describe('where a delegate works', () => {
	it('is its own worktree, or the one of another that its folder is in', async () => {
		const { delegate, worktree } = await inWorktree();
		const sentBack = await inFolder(`${worktree.folder}/packages`, 'running');
		const elsewhere = await inFolder(folder.file('project'), 'running');
		const all = [delegate, sentBack, elsewhere].map(
			each => ({ ...each, state: each === delegate ? 'done' : 'running' }) as const,
		);
		expect(all.map(each => worktreeOf(each, all)?.folder)).toEqual([worktree.folder, worktree.folder, undefined]);
		expect(busyIn(worktree, all)?.record.id).toBe(sentBack.record.id);
		expect(standingWorktree(delegate, all)).toBeUndefined();
	});

	it('was merged for those who had been asked before, and not for one that was sent back since', async () => {
		const merge = (at: string): MergeRecord => ({
			how: 'merged',
			at,
			head: '0'.repeat(40),
			commit: '1'.repeat(40),
		});
		const { delegate: owner, worktree } = await inWorktree();
		const second = await inFolder(worktree.folder);
		const third = await inFolder(worktree.folder);
		const elsewhere = await inFolder(folder.file('project'));
		const at = (createdAt: string, each: Delegate) => ({ ...each, record: { ...each.record, createdAt } });
		const early = merge('2026-01-01T02:00:00.000Z');
		const late = merge('2026-01-01T04:00:00.000Z');
		const all = (merges: MergeRecord[]) => [
			{ ...at('2026-01-01T00:00:00.000Z', owner), merges },
			at('2026-01-01T01:00:00.000Z', second),
			at('2026-01-01T03:00:00.000Z', third),
			at('2026-01-01T00:00:00.000Z', elsewhere),
		];
		const merges = (list: readonly Delegate[]) =>
			list.map(each => {
				const at = worktreeOf(each, list);
				return at && mergeOf(each, at, list);
			});
		expect(merges(all([early]))).toEqual([early, early, undefined, undefined]);
		expect(merges(all([early, late]))).toEqual([late, late, late, undefined]);
		expect(merges(all([]))).toEqual([undefined, undefined, undefined, undefined]);
	});

	it('is no worktree that its status calls by another’s name, nor one that another program tells of', async () => {
		const { delegate, worktree } = await inWorktree();
		const forged = await inWorktree(delegate.record.id);
		expect(worktreeOf(forged.delegate, [delegate, forged.delegate])).toBeUndefined();
		expect(worktreeOf({ ...delegate, isForeign: true }, [delegate])).toBeUndefined();
		expect(worktreeOf(delegate, [delegate, forged.delegate])).toEqual(worktree);
	});
});
