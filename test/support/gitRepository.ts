import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from './tempFolder.ts';

/** A real repository in a folder of its own, with one commit. */
export interface GitRepository extends AsyncDisposable {
	root: string;
	/** Runs git as a person would, here or in another folder. */
	git(args: readonly string[], folder?: string): string;
	/** Writes files below a folder, the root by default. */
	write(files: Readonly<Record<string, string | Buffer>>, folder?: string): void;
	commit(files: Readonly<Record<string, string | Buffer>>, message?: string, folder?: string): string;
	/** What a person has in the checkout: every file with its mode and content, the index, the stash and what is checked out. */
	state(): unknown;
	remove(): Promise<void>;
}

export function gitRepository(): GitRepository {
	const folder = tempFolder("nancy git it's ");
	const root = folder.file('repo');
	mkdirSync(root);
	const env = {
		PATH: process.env['PATH'] ?? '',
		HOME: folder.path,
		GIT_CONFIG_NOSYSTEM: '1',
		GIT_AUTHOR_NAME: 'A Person',
		GIT_AUTHOR_EMAIL: 'person@example.com',
		GIT_COMMITTER_NAME: 'A Person',
		GIT_COMMITTER_EMAIL: 'person@example.com',
		GIT_OPTIONAL_LOCKS: '0',
	};
	const git = (args: readonly string[], at = root) =>
		execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
			cwd: at,
			env,
			encoding: 'utf8',
			stdio: 'pipe',
		}).replace(/\n$/, '');
	const write = (files: Readonly<Record<string, string | Buffer>>, at = root) => {
		for (const [name, content] of Object.entries(files)) {
			mkdirSync(dirname(join(at, name)), { recursive: true });
			writeFileSync(join(at, name), content);
		}
	};
	const commit = (files: Readonly<Record<string, string | Buffer>>, message = 'a commit', at = root) => {
		write(files, at);
		git(['add', '--all'], at);
		git(['commit', '--quiet', '--allow-empty', '-m', message], at);
		return git(['rev-parse', 'HEAD'], at);
	};
	git(['init', '--quiet', '--initial-branch=main']);
	commit({ 'a.txt': lines('a'), 'b.txt': lines('b'), '.gitignore': 'ignored/\n*.secret\n' }, 'first');
	return {
		root,
		git,
		write,
		commit,
		state: () => ({
			files: filesBelow(root),
			status: git(['status', '--porcelain', '-z', '--untracked-files=all']),
			index: readFileSync(join(git(['rev-parse', '--absolute-git-dir']), 'index')).toString('base64'),
			stash: git(['stash', 'list']),
			head: git(['rev-parse', 'HEAD']),
			branch: git(['branch', '--show-current']),
		}),
		remove: () => folder.remove(),
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

/** Twelve lines, far enough apart for changes at both ends to merge. */
export function lines(word: string, changes: Readonly<Record<number, string>> = {}): string {
	return Array.from({ length: 12 }, (_, index) => `${changes[index + 1] ?? `${word} ${index + 1}`}\n`).join('');
}

/** Path, mode and content of everything below a folder, git's own left out. */
export function filesBelow(folder: string, below = ''): Record<string, string> {
	const found: Record<string, string> = {};
	for (const name of readdirSync(join(folder, below)).toSorted()) {
		if (name === '.git') continue;
		const path = join(below, name);
		const status = lstatSync(join(folder, path));
		if (status.isDirectory()) Object.assign(found, filesBelow(folder, path));
		else if (status.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
		else found[path] = `${(status.mode & 0o777).toString(8)} ${hash(readFileSync(join(folder, path)))}`;
	}
	return found;
}

function hash(data: Buffer): string {
	return createHash('sha256').update(data).digest('hex').slice(0, 16);
}
