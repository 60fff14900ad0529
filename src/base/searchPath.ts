import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { isInside } from './inside.ts';
import { realOr } from './realPath.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of POSIX programs. */
const STANDARD = '/usr/bin:/bin';

/** Where a CLI starts that is only asked something: in a workspace, some run what is there (opencode a module, by `tsconfig.json`). */
export const NO_WORKSPACE = '/';

/** Where agents write: the workspaces that this process works in. */
const keptOut = new Set<string>();

/**
 * From now on, this process takes no program of Nancy's own from these folders. An agent may overwrite what is there. A folder that holds
 * the user's home does not count. The user's own programs are there, and so are the files that a shell reads at its start.
 */
export function keepProgramsOutOf(folders: readonly string[]): void {
	for (const folder of folders) {
		if (keptOut.has(folder)) continue;
		const real = realOr(folder);
		if (!isInside(real, realOr(homedir()))) keptOut.add(folder).add(real);
	}
}

/** Whether an agent may overwrite what is there. A link counts where it is, and where it leads. */
export function isAgents(path: string): boolean {
	const places = [path, realOr(path)];
	return Array.from(keptOut).some(folder => places.some(place => isInside(folder, place)));
}

/**
 * An executable file by name, in the absolute folders of PATH. An empty or relative entry means the current folder, which may be somebody
 * else's repository, so it is skipped. What is in a workspace is skipped too: see {@link keepProgramsOutOf}. Nancy looks up every program by
 * this function or by {@link withSafePath}, but for the agents that a person starts.
 */
export function onPath(command: string, env: Environment): string | undefined {
	return executables(command, safeFolders(env)).find(file => !isAgents(file));
}

/** The same environment without the PATH entries that {@link onPath} skips, for a program that looks up others. */
export function withSafePath(env: Environment): NodeJS.ProcessEnv {
	return withFolders(env, safeFolders(env));
}

/** {@link onPath} as a person's shell would find it: in a workspace, too. */
export function onShellPath(command: string, env: Environment): string | undefined {
	return executables(command, absoluteFolders(env))[0];
}

/** {@link withSafePath} for what a person starts: with the folders of a workspace, as of `npm run` or a virtual environment. */
export function withShellPath(env: Environment): NodeJS.ProcessEnv {
	return withFolders(env, absoluteFolders(env));
}

export function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false; // not there, or not ours to run: the same answer either way
	}
}

function executables(command: string, folders: readonly string[]): string[] {
	return folders.map(folder => join(folder, command)).filter(isExecutable);
}

function withFolders(env: Environment, folders: readonly string[]): NodeJS.ProcessEnv {
	// An empty PATH would mean the current folder.
	return env['PATH'] === undefined ? { ...env } : { ...env, PATH: folders.join(delimiter) || STANDARD };
}

function safeFolders(env: Environment): string[] {
	return absoluteFolders(env).filter(folder => !isAgents(folder));
}

function absoluteFolders(env: Environment): string[] {
	return (env['PATH'] ?? '').split(delimiter).filter(folder => isAbsolute(folder));
}
