import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where POSIX has its programs. */
const STANDARD = '/usr/bin:/bin';

/**
 * An executable file by name, in the folders of PATH. An empty or relative entry means the folder that one happens to be in, which may
 * be somebody else's repository: such entries are passed over. Nancy looks every program up by this or by {@link withSafePath}.
 */
export function onPath(command: string, env: Environment): string | undefined {
	return absoluteFolders(env)
		.map(folder => join(folder, command))
		.find(isExecutable);
}

/** The same environment without the entries of PATH that {@link onPath} passes over, for a program that looks up others. */
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
