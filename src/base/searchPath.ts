import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of POSIX programs. */
const STANDARD = '/usr/bin:/bin';

/**
 * An executable file by name, in the absolute folders of PATH. An empty or relative entry means the current folder, which may be somebody
 * else's repository, so it is skipped. Nancy looks up every program by this function or by {@link withSafePath}.
 */
export function onPath(command: string, env: Environment): string | undefined {
	return absoluteFolders(env)
		.map(folder => join(folder, command))
		.find(isExecutable);
}

/** The same environment without the PATH entries that {@link onPath} skips, for a program that looks up others. */
export function withSafePath(env: Environment): NodeJS.ProcessEnv {
	// An empty PATH would mean the current folder.
	return env['PATH'] === undefined ? { ...env } : { ...env, PATH: absoluteFolders(env).join(delimiter) || STANDARD };
}

export function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false; // not there, or not ours to run: the same answer either way
	}
}

function absoluteFolders(env: Environment): string[] {
	return (env['PATH'] ?? '').split(delimiter).filter(folder => isAbsolute(folder));
}
