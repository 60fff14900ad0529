import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { hasErrno, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { realOr } from '../base/realPath.ts';
import { failure, held, tooLong } from './gitFailure.ts';
import { OWN_IDENTITY, SETTINGS, switches, withoutGitVariables } from './gitSwitches.ts';
import { pipeInTheWay } from './pipeInTheWay.ts';
import { readPlainTextSync } from '../core/files/plainFile.ts';

/**
 * A checkout whose folders were proven once. Each call names them, so that git does not look for the repository again. An agent may have
 * removed the folder's `.git` since, or pointed it to a repository whose settings run programs.
 */
export interface GitPlace {
	/** Where git works: the top folder of the checkout. */
	folder: string;
	/** The top folder, if git works in another one of the checkout. */
	top?: string;
	/** Git's own folder of the checkout, where its index is. */
	gitDir: string;
	/** That of the repository, which all its worktrees share, by its real path. */
	common: string;
	/** Each call is ended at this time, in milliseconds since 1970. By default only questions are: see {@link LONGEST_QUESTION_MS}. */
	deadlineMs?: number | undefined;
}

/** What may be asked about a folder before its repository is proven. The answer is no more than names. */
export type Question = readonly ['rev-parse' | 'ls-files' | 'check-ignore' | 'config', ...string[]];

export interface GitOptions {
	/** Variables on top of the cleaned environment. */
	env?: Readonly<Record<string, string>>;
	/** Goes to standard input. */
	input?: string;
	/** The time limit of a question, in milliseconds: see {@link LONGEST_QUESTION_MS}. */
	timeoutMs?: number | undefined;
	/** Ends the call with an error. */
	signal?: AbortSignal | undefined;
	/** Gets the output in parts, of any length. Then none of it is kept. */
	onOutput?: (part: Buffer) => void;
	/** Exit codes that are an answer and not a failure. */
	answers?: readonly number[];
}

export interface GitOutput {
	code: number;
	stdout: Buffer;
	stderr: string;
}

/**
 * Commands that run no program whatever the settings say, once {@link SETTINGS} are off. Before any other command, {@link refuseForeignPrograms}
 * checks the settings. The last two run hooks of the settings (git 2.54), and come only after such a check.
 */
const RUNS_NOTHING: ReadonlySet<string> = new Set([
	'cat-file',
	'check-ignore',
	'commit-tree',
	'config',
	'diff-tree',
	'ls-files',
	'ls-tree',
	'merge-base',
	'rev-list',
	'rev-parse',
	'symbolic-ref',
	'version',
	'update-ref',
	'write-tree',
]);

/**
 * For those commands, in milliseconds. A pipe in place of one of git's files holds git up for good, and a question is the first to meet it.
 * The others may work for long, while {@link pipeInTheWay} looks into the checkout.
 */
const LONGEST_QUESTION_MS = 120_000;

/** They pass on what another machine says to their error output. */
const TRANSFERS: ReadonlySet<string> = new Set(['push', 'fetch']);

/** The most error output of a transfer, in bytes. Any other call may write more: a filter of the user's may say something of each file. */
const LONGEST_COMPLAINT = 4 * 1024 * 1024;

/**
 * Settings by which git, or its Git LFS, runs a program under a name of the setting's own. No switch turns all of them off: filters of
 * files, hooks (git 2.54), transfers and extensions of Git LFS.
 */
const PROGRAM =
	/^(?:filter\..*\.(?:clean|smudge|process)|hook\..*\.command|lfs\.(?:.*\.)?(?:path|args|standalonetransferagent|clean|smudge))$/s;
/** The same, of merges alone. */
const MERGE_PROGRAM = /^merge\..*\.driver$/s;

/**
 * Runs git: no hooks, no signing, no questions, no network, messages in English, and the user's index is not even refreshed. Every call of
 * git goes through here. Filters and merge drivers of the user's own settings do run: a checkout without them has other files.
 * @throws NancyError `git` with git's message, if git is missing or ends with a code that is not in `answers`. `not-trusted` if the
 * repository's settings name a program that git would run, or if a clone may have brought the repository
 */
export async function git(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
	const [command = ''] = args;
	if (!RUNS_NOTHING.has(command) || args.includes('--filters')) await refuseForeignPrograms(place, command, options);
	return run(place, args, options);
}

/** {@link git} for a folder in any checkout, or in none. Git looks for its repository. */
export function askAt(folder: string, question: Question, options: GitOptions = {}): Promise<GitOutput> {
	return run({ folder }, question, options);
}

/**
 * The settings of a repository (`.git/config`, `config.worktree`, and their includes) are no proof of the user's wish. An agent can write
 * them, or make a repository. A program in them runs only if the user's own settings name the same program. Otherwise Nancy refuses:
 * without its filter, git would commit the text that an encrypting filter keeps out. This check does not stop a writer who changes the
 * settings right after it.
 */
async function refuseForeignPrograms(place: GitPlace, command: string, { timeoutMs }: GitOptions): Promise<void> {
	const { stdout } = await run(place, ['config', '--list', '--show-scope', '-z'], { timeoutMs });
	const own = new Set<string>();
	const foreign: string[] = [];
	const parts = cutAtZeros(stdout);
	for (let index = 0; index + 1 < parts.length; index += 2) {
		const [scope, setting = ''] = parts.slice(index, index + 2);
		const [key = ''] = setting.split('\n', 1);
		if (!PROGRAM.test(key) && !(command.startsWith('merge') && MERGE_PROGRAM.test(key))) continue;
		if (scope === 'system' || scope === 'global') own.add(setting);
		else if (!own.has(setting)) foreign.push(key);
	}
	const [first] = foreign;
	if (first === undefined) return;
	throw new NancyError(
		'not-trusted',
		phrase`the settings of the repository at ${place.folder} name a program for git to run (${JSON.stringify(first)}), and Nancy runs only
			what your own settings name. If you trust it, put the same line into those: git config --global --edit`,
	);
}

async function run(
	place: GitPlace | { folder: string },
	args: readonly string[],
	options: GitOptions = {},
): Promise<GitOutput> {
	const { folder } = place;
	const env = {
		...withoutGitVariables(),
		...('gitDir' in place && variablesOf(place)),
		...switches(),
		...OWN_IDENTITY,
		...options.env,
	};
	const [command = ''] = args;
	const timeout = longest(place, command, options);
	return new Promise((resolve, reject) => {
		const output: Buffer[] = [];
		const complaints: Buffer[] = [];
		let complained = 0;
		const { signal, onOutput = part => output.push(part) } = options;
		const child = spawn('git', [...SETTINGS, '-C', folder, ...args], { env, windowsHide: true, timeout, signal });
		const over = new AbortController();
		// First: where nothing more can be opened, it has no streams.
		child.once('error', error => {
			over.abort();
			reject(
				hasErrno(error, 'ENOENT')
					? new NancyError('git', phrase`git is not installed, or not on the PATH`)
					: failure(folder, args, '', error),
			);
		});
		child.stdout.on('data', onOutput);
		child.stderr.on('data', (part: Buffer) => {
			complaints.push(part);
			complained += part.length;
			if (complained > LONGEST_COMPLAINT && TRANSFERS.has(command)) child.kill();
		});
		child.stdin.on('error', () => undefined); // it has ended without reading all of it: how, the exit code tells
		child.stdin.end(options.input);
		let pipe: string | undefined;
		if ('gitDir' in place)
			void pipeInTheWay(place.top ?? folder, over.signal).then(found => {
				pipe = found;
				if (pipe !== undefined) child.kill();
			});
		child.once('exit', () => {
			over.abort();
			// What git has started may live on, and most of it ends once nobody reads it.
			if (child.killed) for (const stream of [child.stdout, child.stderr]) stream.destroy();
		});
		child.once('close', code => {
			const stderr = Buffer.concat(complaints).toString('utf8').trim();
			if (complained > LONGEST_COMPLAINT && TRANSFERS.has(command))
				reject(new NancyError('git', phrase`git ${command} complained without end, and was ended`));
			else if (pipe !== undefined && child.killed) reject(held(command, pipe));
			else if (child.killed) reject(tooLong(folder, command, timeout));
			else if (code !== null && (code === 0 || options.answers?.includes(code)))
				resolve({ code, stdout: Buffer.concat(output), stderr });
			else reject(failure(folder, args, stderr));
		});
	});
}

/** In milliseconds; 0 is no limit. */
function longest(place: GitPlace | { folder: string }, command: string, { timeoutMs }: GitOptions): number {
	if ('gitDir' in place && place.deadlineMs !== undefined) return Math.max(1, place.deadlineMs - Date.now());
	return RUNS_NOTHING.has(command) ? (timeoutMs ?? LONGEST_QUESTION_MS) : 0;
}

function variablesOf({ folder, top = folder, gitDir, common }: GitPlace): Readonly<Record<string, string>> {
	requireCommon(gitDir, common);
	return { GIT_DIR: gitDir, GIT_COMMON_DIR: common, GIT_WORK_TREE: top };
}

/** In bytes. */
const LONGEST_PATH = 64 * 1024;

/**
 * Git takes refs from where `commondir` leads, whatever GIT_COMMON_DIR says (`get_common_dir_noenv` in its refs/files-backend.c).
 * @throws NancyError `not-trusted` if that is another repository: an agent can write there
 */
export function requireCommon(gitDir: string, common: string): void {
	const file = join(gitDir, 'commondir');
	const led = (readPlainTextSync(file, LONGEST_PATH) ?? '').replace(/\n$/, '');
	if (realOr(resolve(gitDir, led)) !== common)
		throw new NancyError('not-trusted', phrase`${file} leads to another repository; remove it`);
}

/** One line of output, without its newline; `undefined` when git ended with 1, or printed nothing. */
export async function gitLine(
	place: GitPlace,
	args: readonly string[],
	options: GitOptions = {},
): Promise<string | undefined> {
	return lineOf(await git(place, args, { answers: [1], ...options }));
}

/** {@link gitLine} of a folder whose repository is not proven. */
export async function lineAt(
	folder: string,
	question: Question,
	options: GitOptions = {},
): Promise<string | undefined> {
	return lineOf(await askAt(folder, question, { answers: [1], ...options }));
}

function lineOf({ code, stdout }: GitOutput): string | undefined {
	// The name of a folder may end with a newline of its own.
	const line = stdout.toString('utf8').replace(/\n$/, '');
	return code === 0 && line !== '' ? line : undefined;
}

/** {@link gitLine}, for an answer that must exist. */
export async function gitAnswer(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<string> {
	const line = await gitLine(place, args, { answers: [], ...options });
	if (line === undefined) throw new NancyError('git', phrase`git ${args[0]} gave no answer`);
	return line;
}

/** Output of a command with `-z`, split at its zeros. */
export async function gitList(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<string[]> {
	return cutAtZeros((await git(place, args, options)).stdout);
}

export function cutAtZeros(output: Buffer): string[] {
	const parts = output.toString('utf8').split('\0');
	if (parts.at(-1) === '') parts.pop();
	return parts;
}

/**
 * The answers of `rev-parse` to questions with one line each, of a folder whose repository is not proven. One process, unless the name of a
 * folder has a newline: then nothing shows where an answer ends.
 */
export async function answersAt(
	folder: string,
	questions: readonly string[],
	options: GitOptions = {},
): Promise<string[]> {
	const ask = async (...asked: readonly string[]) =>
		(await lineAt(folder, ['rev-parse', ...asked], { answers: [], ...options })) ?? '';
	const answers = (await ask(...questions)).split('\n');
	return answers.length === questions.length ? answers : Promise.all(questions.map(question => ask(question)));
}

/** Whether git ends with 0, and not with 1. */
export async function gitHolds(place: GitPlace, args: readonly string[]): Promise<boolean> {
	return (await git(place, args, { answers: [1] })).code === 0;
}
