import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requirePlace } from '../../../../src/core/delegates/requirePlace.ts';
import { headlessOf } from '../../../../src/core/driver/launch.ts';
import { fakeHeadlessDriver } from '../../../support/fakeHeadless.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

const bound = {
	...fakeHeadlessDriver,
	headless: { ...headlessOf(fakeHeadlessDriver), runsIn: 'workspace' as const },
};

describe('an agent that can work in the workspace’s own folder alone', () => {
	it('is refused in a worktree and in every other folder, also one that is gone', async () => {
		await using folder = tempFolder();
		const workspace = folder.path;
		const refused = [
			{ folder: workspace, isInWorktree: true },
			{ folder: folder.file('sub'), isInWorktree: false },
			{ folder: '/', isInWorktree: false },
		];
		for (const place of refused) {
			expect(() => requirePlace(bound, place, workspace)).toThrow(workspace);
			expect(() => requirePlace(fakeHeadlessDriver, place, workspace)).not.toThrow();
		}
	});

	it('works there by whatever name: a runner knows the folder without its links', async () => {
		await using folder = tempFolder();
		const workspace = folder.file('project');
		mkdirSync(workspace);
		symlinkSync(workspace, folder.file('link'));
		for (const place of [workspace, folder.file('link'), `${workspace}/.`])
			expect(() => requirePlace(bound, { folder: place, isInWorktree: false }, workspace)).not.toThrow();
	});
});
