import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_WINDOW } from '../../src/core/asker/asker.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import * as operations from '../../src/operations/index.ts';
import { perform, type OperationContext } from '../../src/operations/operation.ts';
import type { DelegateId } from '../../src/protocol/delegate.ts';
import type { Worktree } from '../../src/protocol/worktree.ts';
import { seedWorktree } from '../support/delegateSeeds.ts';
import { fetchingGitDir } from '../support/fetchingGitDir.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

let outside: TempFolder;
let repo: GitRepository;
let store: Delegates;

beforeEach(() => {
	outside = tempFolder();
	repo = gitRepository();
	repo.git(['update-index', '--add', '--cacheinfo', `160000,${repo.git(['rev-parse', 'HEAD'])},sub`]);
	repo.git(['commit', '--quiet', '-m', 'a submodule']);
	store = new Delegates(new Workspace(repo.root));
});
afterEach(async () => {
	await repo.remove();
	await outside.remove();
});

const context = (): OperationContext => ({
	workspace: store.workspace,
	dataFolder: outside.file('data'),
	env: process.env,
	isTrusted: true,
	settings: { hooks: undefined, tokenThreshold: undefined },
	readSettings: () => Promise.resolve({}),
	installRuntime: () => Promise.reject(new Error('nothing is installed in this test')),
	look: () => Promise.resolve({ tasks: [], problems: [] }),
	watch: work => work({ overview: () => ({ tasks: [], problems: [] }), changed: () => Promise.resolve() }),
	note: () => undefined,
});

/** What a person does with the work of a delegate. */
const uses: Readonly<Record<string, (worktree: Worktree, id: DelegateId) => Promise<unknown>>> = {
	Review: async worktree => perform(await operations.worktreeChanges(), IN_WINDOW, { worktree }, context()),
	'the question before Discard': async worktree =>
		perform(await operations.worktreeLoss(), IN_WINDOW, { worktree }, context()),
	'the question before Merge': async worktree =>
		perform(await operations.mergePreview(), IN_WINDOW, { worktree }, context()),
	Merge: async worktree =>
		perform(await operations.mergeWorktree(), IN_WINDOW, { worktree, message: 'm' }, context()),
	'Undo Merge': async worktree => {
		await perform(await operations.mergeWorktree(), IN_WINDOW, { worktree, message: 'm' }, context());
		expect(await perform(await operations.undoMerge(), IN_WINDOW, { worktree }, context())).toEqual({ ok: true });
	},
	Discard: async worktree =>
		perform(await operations.removeWorktree(), IN_WINDOW, { worktree, discard: true, anyway: false }, context()),
	'Remove, Keep Branch': async worktree =>
		perform(await operations.removeWorktree(), IN_WINDOW, { worktree, discard: false, anyway: false }, context()),
	Delete: async (_, id) => perform(await operations.deleteDelegates(), IN_WINDOW, { ids: [id] }, context()),
};

describe('a delegate that has filled a submodule in its worktree', () => {
	it.each(Object.keys(uses))('has no command run by %s', async use => {
		const ran = outside.file('ran');
		const { delegate } = await seedWorktree(store, outside.file('data'), { title: 'x' }, { 'work.txt': 'work\n' });
		const { id } = delegate.record;
		const { worktree } = (await store.get(id)).status;
		if (!worktree) throw new Error('no worktree');
		fetchingGitDir(join(worktree.folder, 'sub', '.git'), repo.git(['rev-parse', 'HEAD:sub']), ran);
		await uses[use]?.(worktree, id);
		expect(existsSync(ran)).toBe(false);
	});
});
