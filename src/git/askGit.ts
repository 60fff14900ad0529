import { join } from 'node:path';
import type { AskGit, GitView } from '../core/deployment/gitView.ts';
import { NancyError } from '../base/errors.ts';
import { askAt, cutAtZeros, git } from './git.ts';
import { checkoutAt } from './homeCheckout.ts';
import { isInCheckout } from './mayTrack.ts';
import { isNotOwn } from './requireOwnGit.ts';
import { isOthers, trackedFiles } from './trackedFiles.ts';

/** Git's answers about files in a folder; `undefined` without git, outside a checkout, and if git fails. */
export const askGit: AskGit = async (folder, files) => {
	try {
		return await viewOf(folder, files);
	} catch (error) {
		if (isOthers(error) || isNotOwn(error))
			return { excludeFile: undefined, prefix: '', tracked: await trackedIn(folder, files), ignored: new Set() };
		if (error instanceof NancyError && (error.code === 'git' || !isInCheckout(folder))) return undefined;
		throw error;
	}
};

async function viewOf(folder: string, files: readonly string[]): Promise<GitView | undefined> {
	const { stdout } = await askAt(folder, ['rev-parse', '--is-inside-work-tree', '--show-prefix']);
	const [isInside, prefix = '', ...more] = stdout.toString('utf8').split('\n');
	// A newline in a name cannot be written into a line of `info/exclude`.
	if (isInside !== 'true' || more.join('') !== '') return undefined;
	const checkout = await checkoutAt(folder);
	const excludeFile = join(checkout.common, 'info', 'exclude');
	if (files.length === 0) return { excludeFile, prefix, tracked: new Set(), ignored: new Set() };
	const matches = await git(
		{ ...checkout, top: checkout.folder, folder },
		['check-ignore', '--verbose', '-z', '--stdin'],
		{
			answers: [1],
			input: files.map(file => `${file}\0`).join(''),
		},
	);
	return {
		excludeFile,
		prefix,
		tracked: await trackedIn(folder, files),
		ignored: ignoredIn(cutAtZeros(matches.stdout)),
	};
}

async function trackedIn(folder: string, files: readonly string[]): Promise<ReadonlySet<string>> {
	return new Set(files.length > 0 ? await trackedFiles(folder, files) : []);
}

/** Files that anything but `info/exclude` ignores. That file may hold lines of Nancy's in another worktree. */
function ignoredIn(matches: readonly string[]): Set<string> {
	const ignored = new Set<string>();
	// For each match: its file, the line's number, the pattern, the path.
	for (let index = 0; index + 3 < matches.length; index += 4) {
		const [source = '', , pattern = '', path = ''] = matches.slice(index, index + 4);
		if (!pattern.startsWith('!') && !source.endsWith('info/exclude')) ignored.add(path);
	}
	return ignored;
}
