import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { tempFolder, type TempFolder } from './tempFolder.ts';

/** A real repository in a folder of its own, with one commit. */
export interface GitRepository extends AsyncDisposable {
	root: string;
	/** Runs git as a person would, here or in another folder. */
	git(args: readonly string[], folder?: string): string;
	/** Writes files below a folder, the root by default. */
	write(files: Readonly<Record<string, string | Buffer>>, folder?: string): void;
	commit(files: Readonly<Record<string, string | Buffer>>, message?: string, folder?: string): void;
	/** What a person has in the checkout: every file with its mode and content, the index, the stash and what is checked out. */
	state(): unknown;
	remove(): Promise<void>;
}

export function gitRepository(): GitRepository {
	const folder = tempFolder("nancy git it's ");
	const root = folder.file('repo');
	const person = personIn(folder, root);
	if (template) writeTemplate(root, template);
	else {
		mkdirSync(root);
		person.git(['init', '--quiet', '--initial-branch=main']);
		person.commit({ 'a.txt': lines('a'), 'b.txt': lines('b'), '.gitignore': 'ignored/\n*.secret\n' }, 'first');
		template = readTemplate(root);
	}
	return {
		root,
		...person,
		state: () => {
			const status = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all'];
			const entries = person.git(status).split('\0');
			return {
				files: filesBelow(root),
				status: entries.filter(entry => !entry.startsWith('# ')),
				/** The commit, and the branch. */
				head: entries.filter(entry => entry.startsWith('# ')),
				index: readFileSync(join(root, '.git/index')).toString('base64'),
				stash: existsSync(join(root, STASH)) ? readFileSync(join(root, STASH), 'utf8') : '',
			};
		},
		remove: () => folder.remove(),
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

/** Each entry of the stash is a line. */
const STASH = '.git/logs/refs/stash';

/** What is in a repository that was just made: `undefined` is a folder. Making one costs git a dozen processes. */
type Template = ReadonlyMap<string, Buffer | undefined>;
let template: Template | undefined;

function readTemplate(root: string): Template {
	const entries = readdirSync(root, { recursive: true, withFileTypes: true });
	const used = entries.filter(({ name }) => !name.endsWith('.sample'));
	return new Map(
		used.map(entry => {
			const path = join(entry.parentPath, entry.name);
			return [relative(root, path), entry.isDirectory() ? undefined : readFileSync(path)];
		}),
	);
}

function writeTemplate(root: string, files: Template): void {
	mkdirSync(root);
	for (const [path, content] of files) {
		mkdirSync(content ? dirname(join(root, path)) : join(root, path), { recursive: true });
		if (content) writeFileSync(join(root, path), content);
	}
}

function personIn(folder: TempFolder, root: string): Pick<GitRepository, 'git' | 'write' | 'commit'> {
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
		execFileSync('git', ['-c', 'protocol.file.allow=always', '-c', 'maintenance.auto=false', ...args], {
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
	};
	return { git, write, commit };
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
