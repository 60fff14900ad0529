import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownName, placeBeside, requireOwnName } from '../../src/git/placeBeside.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

// An agent may have another one work in its own workspace, or in the same place of a worktree beside it. It can exchange links in its workspace.

let folder: TempFolder;
beforeEach(() => {
	folder = tempFolder();
	for (const each of ['project/.git', 'project/sub', 'project.worktrees/one/sub', 'other'])
		mkdirSync(folder.file(each), { recursive: true });
});
afterEach(() => folder.remove());

const beside = (place: string, workspace = 'project') => placeBeside(folder.file(workspace), folder.file(place));

it.each([
	['project', 'project', 'project'],
	['project/sub/..', 'project', 'project'],
	['project.worktrees/one', 'project', 'project.worktrees/one'],
	['project.worktrees/one/sub', 'project/sub', 'project.worktrees/one/sub'],
	['project/sub', 'project', undefined],
	['project.worktrees/one/sub', 'project', undefined],
	['project.worktrees/one', 'project/sub', undefined],
	['project.worktrees', 'project', undefined],
	['other', 'project', undefined],
	['nowhere', 'project', undefined],
])('the place %s of the workspace %s is %s', async (place, workspace, own) => {
	expect(await beside(place, workspace)).toBe(own === undefined ? undefined : folder.file(own));
});

it('a link to the workspace, or to a worktree, is these themselves, whatever it leads to later', async () => {
	symlinkSync('.', folder.file('project/here'));
	symlinkSync(folder.file('project.worktrees/one'), folder.file('project/there'));
	const kept = [await beside('project/here'), await beside('project/there')];
	expect(kept).toEqual([folder.file('project'), folder.file('project.worktrees/one')]);
	rmSync(folder.file('project/here'));
	symlinkSync(folder.file('other'), folder.file('project/here'));
	expect(await beside('project/here')).toBeUndefined();
});

it('the folder of a request is refused once its name leads to another one', () => {
	const [own, there] = [folder.file('project'), folder.file('project.worktrees/one')];
	expect(requireOwnName(own, ownName(own, there))).toBe(there);
	rmSync(there, { recursive: true });
	symlinkSync(folder.file('other'), there);
	expect(() => requireOwnName(own, there)).toThrow('is another one by now');
});

it('a workspace has several names: each is its own', async () => {
	symlinkSync(folder.file('project'), folder.file('linked'));
	expect(requireOwnName(folder.file('project'), folder.file('linked'))).toBe(folder.file('project'));
	expect(await beside('project', 'linked')).toBe(folder.file('linked'));
	expect(await beside('project.worktrees/one', 'linked')).toBe(folder.file('project.worktrees/one'));
});

it('a link that leads nowhere is no place', async () => {
	symlinkSync(folder.file('project.worktrees/two'), folder.file('project/dangling'));
	expect(await beside('project/dangling')).toBeUndefined();
});
