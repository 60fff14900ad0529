import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requirePlace } from '../../../../src/core/delegates/requirePlace.ts';
import { fakeHeadlessDriver } from '../../../support/fakeHeadless.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

const OLD = [1, 9, 9] as const;
const NEW = [2, 0, 0] as const;
const bound = {
	...fakeHeadlessDriver,
	floors: { ...fakeHeadlessDriver.floors, worktree: NEW },
};

describe('a version of an agent that can work in the workspace’s own folder alone', () => {
	it('is refused in a worktree and in every other folder, also one that is gone', async () => {
		await using folder = tempFolder();
		const workspace = folder.path;
		const refused = [
			{ folder: workspace, isInWorktree: true },
			{ folder: folder.file('sub'), isInWorktree: false },
			{ folder: '/', isInWorktree: false },
		];
		for (const place of refused) {
			expect(() => requirePlace(bound, OLD, place, workspace)).toThrow(workspace);
			// A worker of a task is refused too.
			expect(() => requirePlace(bound, OLD, place, workspace)).not.toThrow(/delegate/);
			expect(() => requirePlace(bound, NEW, place, workspace)).not.toThrow();
		}
	});

	it('works there by whatever name: a runner knows the folder without its links', async () => {
		await using folder = tempFolder();
		const workspace = folder.file('project');
		mkdirSync(workspace);
		symlinkSync(workspace, folder.file('link'));
		for (const place of [workspace, folder.file('link'), `${workspace}/.`])
			expect(() => requirePlace(bound, OLD, { folder: place, isInWorktree: false }, workspace)).not.toThrow();
	});
});
