import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';

/**
 * Whether git must be asked if it tracks a name in a folder. Not outside a checkout, nor if the bytes of the index do not hold the name. An
 * index of versions 2 and 3 has every path in full. Version 4 cuts the part that a path shares with the one before, and a split or sparse
 * index has paths elsewhere. In doubt, and for an index of another form, git must be asked (git's own Documentation/gitformat-index).
 * @throws NancyError `bad-file` for an index that is no ordinary file: git would wait for the writer of a pipe
 */
export function mayTrack(folder: string, name: string): boolean {
	try {
		const index = indexOf(realpathSync(folder));
		if (index === undefined) return false;
		const bytes = readIndex(index);
		if (bytes.toString('latin1', 0, 4) !== 'DIRC' || ![2, 3].includes(bytes.readUInt32BE(4))) return true;
		// The names of these extensions with the first byte of their length. Only the end of a path has such a byte.
		if (bytes.includes('link\0') || bytes.includes('sdir\0')) return true;
		return IGNORES_CASE
			? bytes.toString('latin1').toLowerCase().includes(name.toLowerCase())
			: bytes.includes(name);
	} catch (error) {
		if (error instanceof NancyError) throw error;
		return true;
	}
}

function readIndex(file: string): Buffer {
	const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		if (fstatSync(descriptor).isFile()) return readFileSync(descriptor);
		throw new NancyError(
			'bad-file',
			phrase`${file} is no ordinary file, and git cannot read it; remove it and try again`,
		);
	} finally {
		closeSync(descriptor);
	}
}

/** On these platforms, a `.Nancy` in the repository is the `.nancy` on the disk. */
export const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32';

/** Whether there is a checkout around a folder, whatever git says. */
export function isInCheckout(folder: string): boolean {
	return indexOf(realpathSync(folder)) !== undefined;
}

/** Whether the checkout around a folder is a linked worktree of another one, by git's files alone: the hook program asks this too. */
export function isInLinkedWorktree(folder: string): boolean {
	const index = indexOf(realpathSync(folder));
	return index !== undefined && existsSync(join(dirname(index), 'commondir'));
}

/** The index of the checkout around a folder, by its real path; `undefined` if there is none. A worktree and a submodule have a file as `.git`. */
export function indexOf(folder: string): string | undefined {
	const dotGit = join(folder, '.git');
	const status = lstatSync(dotGit, { throwIfNoEntry: false });
	if (!status) return dirname(folder) === folder ? undefined : indexOf(dirname(folder));
	if (!status.isFile()) return join(dotGit, 'index');
	const gitDir = /^gitdir: (.+)\n?$/.exec(readFileSync(dotGit, 'utf8'))?.[1] ?? '';
	return join(resolve(folder, gitDir), 'index');
}
