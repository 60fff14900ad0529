import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	statSync,
	writeFileSync,
} from 'node:fs';
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
	if (template) return repositoryIn(copyOf(template));
	const folder = tempFolder(PREFIX);
	const repo = repositoryIn(folder);
	mkdirSync(repo.root);
	repo.git(['init', '--quiet', '--initial-branch=main']);
	repo.commit({ 'a.txt': lines('a'), 'b.txt': lines('b'), '.gitignore': 'ignored/\n*.secret\n' }, 'first');
	template = templateOf(folder.path);
	return repo;
}

/**
 * A repository in a state that takes git dozens of processes. They run once. Each call then gets a copy of the files, with a folder of
 * its own, and what `make` returned, with the paths of that folder.
 * @param make returns JSON
 */
export function gitRepositoryAfter<T>(
	make: (repo: GitRepository) => Promise<T>,
): () => Promise<{ repo: GitRepository; made: T }> {
	const first = async () => {
		await using repo = gitRepository();
		const made = JSON.stringify(await make(repo));
		return { made, files: templateOf(dirname(repo.root)) };
	};
	let saved: ReturnType<typeof first> | undefined;
	return async () => {
		const { made, files } = await (saved ??= first());
		const folder = copyOf(files);
		const moved = made.replaceAll(files.path, () => folder.path);
		return { repo: repositoryIn(folder), made: JSON.parse(moved) as T };
	};
}

/** Names that need quotes. */
const PREFIX = "nancy git it's ";

function repositoryIn(folder: TempFolder): GitRepository {
	const root = folder.file('repo');
	const person = personIn(folder, root);
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

/** What is below a folder; git knows a worktree by its path. */
interface Template {
	path: string;
	/** By their paths from there: `undefined` is a folder. */
	entries: ReadonlyMap<string, { content: Buffer; mode: number } | undefined>;
}
/** Making one costs git a dozen processes. */
let template: Template | undefined;

function templateOf(path: string): Template {
	const all = readdirSync(path, { recursive: true, withFileTypes: true });
	const used = all.filter(({ name }) => !name.endsWith('.sample'));
	const entries = used.map(entry => {
		const file = join(entry.parentPath, entry.name);
		const found = entry.isDirectory() ? undefined : { content: readFileSync(file), mode: statSync(file).mode };
		return [relative(path, file), found] as const;
	});
	return { path, entries: new Map(entries) };
}

function copyOf({ path, entries }: Template): TempFolder {
	const folder = tempFolder(PREFIX);
	for (const [name, file] of entries) {
		const to = folder.file(name);
		if (!file) {
			mkdirSync(to);
			continue;
		}
		const content = file.content.includes(path)
			? file.content.toString('latin1').replaceAll(bytes(path), () => bytes(folder.path))
			: file.content;
		writeFileSync(to, content, { mode: file.mode, encoding: 'latin1' });
	}
	return folder;
}

/** Text as the bytes of its UTF-8, each of them a character. */
function bytes(text: string): string {
	return Buffer.from(text).toString('latin1');
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
