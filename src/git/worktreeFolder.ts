import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeTree } from '../base/removeTree.ts';
import { withSafePath } from '../base/searchPath.ts';
import type { GitPlace } from './git.ts';
import { gitOverWorktrees } from './openWorktree.ts';

/** Moves a worktree's folder away in one step, so that a kill leaves it whole or gone. Leftovers of an earlier kill go too. */
export async function setAside(folder: string): Promise<void> {
	await removeAside(folder);
	if (existsSync(folder)) await rename(folder, asideOf(folder));
}

export async function removeAside(folder: string): Promise<void> {
	const aside = asideOf(folder);
	try {
		await removeTree(aside);
	} catch {
		// Caches of some tools are write-protected. `-R` alone follows no links.
		await promisify(execFile)('chmod', ['-R', 'u+rwX', aside], { env: withSafePath(process.env) });
		await removeTree(aside);
	}
}

/** Makes git forget a worktree whose folder is gone, and only this one. `git worktree prune` would take others too. */
export async function forget(common: string, parent: GitPlace, folder: string): Promise<void> {
	// Twice, because git locks a worktree while it makes it.
	await gitOverWorktrees(common, parent, ['worktree', 'remove', '--force', '--force', folder]);
}

function asideOf(folder: string): string {
	return join(dirname(folder), `.removing-${basename(folder)}`);
}
