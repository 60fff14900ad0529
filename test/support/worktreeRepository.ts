import { createWorktree } from '../../src/git/worktree.ts';
import { WorktreeName } from '../../src/protocol/worktree.ts';
import { gitRepositoryAfter } from './gitRepository.ts';

/** A repository with a worktree `x`, as Nancy makes it. That takes git twenty processes, so it is made once and copied. */
export const worktreeRepository = gitRepositoryAfter(({ root }) =>
	createWorktree({ folder: root, name: WorktreeName.parse('x'), withChanges: false, copyIncludes: true }),
);
