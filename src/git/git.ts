import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { hasErrno, NancyError } from '../base/errors.ts';
import { withSafePath } from '../base/searchPath.ts';

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

/**
 * Settings that win over those of the user and of the repository. What an agent or a clone has put into a repository's settings must
 * run no program, ask no question and touch no more than what was asked for.
 */
const SETTINGS = [
	// A clone can bring a bare repository along in a folder of its own: git would take it, with its settings, for the repository there.
	'safe.bareRepository=explicit',
	// Hooks, of the repository's folder and of the user's.
	`core.hooksPath=${devNull}`,
	// A program that git asks what has changed.
	'core.fsmonitor=false',
	// Programs that know passwords. Nothing is fetched, and a filter that would fetch does so without them.
	'credential.helper=',
	// Programs that sign, and that check a signature.
	'commit.gpgSign=false',
	'merge.verifySignatures=false',
	// Git would start another git in each submodule, whose settings an agent may have written.
	'submodule.recurse=false',
	// Work in the background.
	'gc.auto=0',
	'maintenance.auto=false',
	// Parts of the user's index, stash and records that are none of Nancy's.
	'core.untrackedCache=false',
	'core.splitIndex=false',
	'merge.autoStash=false',
	'rerere.enabled=false',
	// The form of what git says and stores.
	'core.safecrlf=false',
	'core.quotePath=false',
	'i18n.commitEncoding=UTF-8',
	'advice.addEmbeddedRepo=false',
].flatMap(setting => ['-c', setting]);

/**
 * Variables that win over settings of the same kind: the user's index not even refreshed, no question, editor, pager or connection.
 * A repository may say that objects are missing and are to be fetched, and by which program (`remote.<name>.promisor`, `uploadpack`, `vcs`,
 * `core.sshCommand`, URLs `ext::`). GIT_NO_LAZY_FETCH forbids it where git knows it (2.39.4); GIT_ALLOW_PROTOCOL forbids every
 * protocol but one that nobody can name beforehand: with a fixed word, such as `none`, `remote.<name>.vcs=none` runs `alias.remote-none`.
 */
function switches(): Readonly<Record<string, string>> {
	return {
		LC_ALL: 'C',
		GIT_OPTIONAL_LOCKS: '0',
		GIT_TERMINAL_PROMPT: '0',
		// Wins over `core.askPass` and SSH_ASKPASS.
		GIT_ASKPASS: 'false',
		GIT_EDITOR: ':',
		GIT_PAGER: 'cat',
		GIT_SSH_COMMAND: 'false',
		GIT_NO_LAZY_FETCH: '1',
		// The global one is loaded at its first use.
		GIT_ALLOW_PROTOCOL: crypto.randomUUID(),
	};
}

/**
 * Commands that run no program whatever the settings say, once those above are off. Before any other, {@link refuseForeignPrograms} looks.
 * The last two run hooks of the settings (git 2.54) and come only after a command before which it has looked.
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
 * Settings by which git, or the Git LFS that it calls, runs a program under a name of the setting's own, so that no switch turns all of
 * them off: filters of files, hooks (git 2.54), transfers and extensions of Git LFS.
 */
const PROGRAM =
	/^(?:filter\..*\.(?:clean|smudge|process)|hook\..*\.command|lfs\.(?:.*\.)?(?:path|args|standalonetransferagent|clean|smudge))$/s;
/** The same, of merges alone. */
const MERGE_PROGRAM = /^merge\..*\.driver$/s;

/** Says where git's own settings and programs are; every other GIT_ variable is about a repository, or about a person's terminal. */
const KEPT = /^GIT_(?:CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|EXEC_PATH|SSL_.*|CEILING_DIRECTORIES)$/;

/** What a command in a worktree inherits: whoever started Nancy may itself have been started by git, in another repository. */
export function withoutGitVariables(): NodeJS.ProcessEnv {
	const others = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name));
	return withSafePath(Object.fromEntries(others));
}

/**
 * Runs git: no hooks, no signing, no questions, no network, messages in English, the user's index not even refreshed. All that Nancy
 * runs of git goes through here. Filters and merge drivers of the user's own settings do run: a checkout without them has other files.
 * @throws NancyError `git` with what git said, when it is not there or ends with a code that is not in `answers`; `not-trusted`
 * where the repository's settings name a program that it would run, or it may be one that a clone brought along
 */
export async function git(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
	const [command = ''] = args;
	if (!RUNS_NOTHING.has(command) || args.includes('--filters')) await refuseForeignPrograms(place, command);
	return run(place, args, options);
}

/**
 * The settings of a repository (`.git/config`, `config.worktree`, what they include) are not proof of what the user wants: an agent can
 * write them, or make a repository. A program that they name runs only where the user's own settings name the very same one.
 * Left out, instead of refused, a filter would put into a commit what it keeps out of it, as one that encrypts does.
 * Whoever can write those settings while Nancy works, and meets the moment after this look, is not held by it.
 */
async function refuseForeignPrograms(place: GitPlace, command: string): Promise<void> {
	const { stdout } = await run(place, ['config', '--list', '--show-scope', '-z']);
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
		`the settings of the repository at ${place.folder} name a program for git to run (${JSON.stringify(first)}), and Nancy runs only ` +
			'what your own settings name. If you trust it, put the same line into those: git config --global --edit',
	);
}

function run({ folder, gitDir }: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
	const env = {
		...withoutGitVariables(),
		...(gitDir !== undefined && { GIT_DIR: gitDir, GIT_WORK_TREE: folder }),
		...switches(),
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
				else reject(failure(folder, args, said, error));
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

function failure(folder: string, [command]: readonly string[], said: string, error: Error | null): NancyError {
	if (said.includes('cannot use bare repository')) {
		return new NancyError(
			'not-trusted',
			`${folder} is in a folder that looks like a bare repository: a clone can bring one along, with settings that run programs. ` +
				'Work at the top of the checkout around it, or in a checkout of it',
			{ cause: error },
		);
	}
	const isNotFetched = /lazy fetching disabled|transport '.*' not allowed/.test(said);
	const hint = isNotFetched ? '; Nancy has git fetch nothing: run “git fetch --refetch --no-filter” there first' : '';
	return new NancyError('git', `git ${command}: ${lastLines(said) || error?.message}${hint}`, { cause: error });
}

function lastLines(text: string): string {
	return text
		.split('\n')
		.filter(line => !line.startsWith('hint:'))
		.slice(-5)
		.join(' ')
		.slice(-1000);
}
