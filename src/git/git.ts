import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { hasErrno, NancyError } from '../base/errors.ts';

/**
 * Where git works. With `gitDir` it is told where its repository is and does not follow the folder's `.git`, which an agent
 * may have removed or pointed to a repository whose settings run programs.
 */
export interface GitPlace {
	folder: string;
	gitDir?: string;
}

export interface GitOptions {
	/** Variables on top of the cleaned environment. */
	env?: Readonly<Record<string, string>>;
	/** Goes to standard input. */
	input?: string;
	/** Exit codes that are an answer and not a failure. */
	answers?: readonly number[];
}

export interface GitOutput {
	code: number;
	stdout: Buffer;
	stderr: string;
}

/** Who makes commits that no person made, whatever the user has configured. */
export const OWN_IDENTITY = {
	GIT_AUTHOR_NAME: 'Nancy',
	GIT_AUTHOR_EMAIL: 'nancy@localhost',
	GIT_COMMITTER_NAME: 'Nancy',
	GIT_COMMITTER_EMAIL: 'nancy@localhost',
} as const;

/** The user's settings that would run programs, ask questions, or touch more than what was asked for. */
const SETTINGS = [
	`core.hooksPath=${devNull}`,
	'core.fsmonitor=false',
	'core.untrackedCache=false',
	'core.splitIndex=false',
	'core.safecrlf=false',
	'core.quotePath=false',
	'commit.gpgSign=false',
	'i18n.commitEncoding=UTF-8',
	'merge.autoStash=false',
	'merge.verifySignatures=false',
	'submodule.recurse=false',
	'rerere.enabled=false',
	'gc.auto=0',
	'maintenance.auto=false',
	'advice.addEmbeddedRepo=false',
].flatMap(setting => ['-c', setting]);

/** Says where git's own settings and programs are; every other GIT_ variable is about a repository, or about a person's terminal. */
const KEPT = /^GIT_(?:CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|EXEC_PATH|SSL_.*|CEILING_DIRECTORIES)$/;

/** What a command in a worktree inherits: whoever started Nancy may itself have been started by git, in another repository. */
export function withoutGitVariables(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name)));
}

/**
 * Runs git: no hooks, no signing, no questions, messages in English, the user's index not even refreshed.
 * @throws NancyError `git` with what git said, when it is not there or ends with a code that is not in `answers`
 */
export function git(
	{ folder, gitDir }: GitPlace,
	args: readonly string[],
	options: GitOptions = {},
): Promise<GitOutput> {
	const env = {
		...withoutGitVariables(),
		...(gitDir !== undefined && { GIT_DIR: gitDir, GIT_WORK_TREE: folder }),
		LC_ALL: 'C',
		GIT_OPTIONAL_LOCKS: '0',
		GIT_TERMINAL_PROMPT: '0',
		GIT_EDITOR: ':',
		...options.env,
	};
	return new Promise((resolve, reject) => {
		const child = execFile(
			'git',
			[...SETTINGS, '-C', folder, ...args],
			{ env, encoding: 'buffer', maxBuffer: Number.POSITIVE_INFINITY, windowsHide: true },
			(error, stdout, stderr) => {
				const code = error === null ? 0 : error.code;
				const said = stderr.toString('utf8').trim();
				if (hasErrno(error, 'ENOENT'))
					reject(new NancyError('git', 'git is not installed, or not on the PATH'));
				else if (typeof code === 'number' && (code === 0 || options.answers?.includes(code)))
					resolve({ code, stdout, stderr: said });
				else
					reject(
						new NancyError('git', `git ${args[0]}: ${lastLines(said) || error?.message}`, { cause: error }),
					);
			},
		);
		child.stdin?.on('error', () => undefined); // it has ended without reading all of it: how, the exit code tells
		child.stdin?.end(options.input);
	});
}

/** One line of output, without its newline; `undefined` when git ended with 1, or printed nothing. */
export async function gitLine(
	place: GitPlace,
	args: readonly string[],
	options: GitOptions = {},
): Promise<string | undefined> {
	const { code, stdout } = await git(place, args, { answers: [1], ...options });
	// The name of a folder may end with a newline of its own.
	const line = stdout.toString('utf8').replace(/\n$/, '');
	return code === 0 && line !== '' ? line : undefined;
}

/** {@link gitLine} where there must be one. */
export async function gitAnswer(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<string> {
	const line = await gitLine(place, args, { answers: [], ...options });
	if (line === undefined) throw new NancyError('git', `git ${args[0]} gave no answer`);
	return line;
}

/** Output of a command with `-z`, cut at its zeros. */
export async function gitList(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<string[]> {
	return cutAtZeros((await git(place, args, options)).stdout);
}

export function cutAtZeros(output: Buffer): string[] {
	const parts = output.toString('utf8').split('\0');
	if (parts.at(-1) === '') parts.pop();
	return parts;
}

/**
 * What `rev-parse` says to questions that are answered with a line each. One process, but where the name of a folder has a newline,
 * so that nothing tells where an answer ends.
 */
export async function gitAnswers(place: GitPlace, questions: readonly string[]): Promise<string[]> {
	const answers = (await gitAnswer(place, ['rev-parse', ...questions])).split('\n');
	if (answers.length === questions.length) return answers;
	return Promise.all(questions.map(question => gitAnswer(place, ['rev-parse', question])));
}

/** The commits at some refs, in their order; `undefined` for one that is not there. */
export async function commitsAt(place: GitPlace, refs: readonly string[]): Promise<(string | undefined)[]> {
	const { stdout } = await git(place, ['cat-file', '--batch-check=%(objectname)'], {
		input: refs.map(ref => `${ref}^{commit}\n`).join(''),
	});
	const lines = stdout.toString('utf8').split('\n');
	return refs.map((_, index) => lines[index]).map(line => (/^[0-9a-f]{40,}$/.test(line ?? '') ? line : undefined));
}

/** Whether git ends with 0, and not with 1. */
export async function gitHolds(place: GitPlace, args: readonly string[]): Promise<boolean> {
	return (await git(place, args, { answers: [1] })).code === 0;
}

function lastLines(text: string): string {
	return text
		.split('\n')
		.filter(line => !line.startsWith('hint:'))
		.slice(-5)
		.join(' ')
		.slice(-1000);
}
