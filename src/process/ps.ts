import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * `ps` of the system, by its own path and with an environment of its own. It says which processes ask and which belong to a run, so the
 * asker's PATH must not choose it. The locale keeps characters of other languages as they are. Not measured on a Mac yet.
 */
const PROGRAM = '/bin/ps';
const OPTIONS = {
	encoding: 'utf8',
	env: { PATH: '/usr/bin:/bin', LC_ALL: 'en_US.UTF-8' },
	maxBuffer: 64 * 1024 * 1024,
} as const;

export async function ps(...args: readonly string[]): Promise<string> {
	return (await promisify(execFile)(PROGRAM, args, OPTIONS)).stdout;
}

export function psSync(...args: readonly string[]): string {
	return execFileSync(PROGRAM, args, { ...OPTIONS, stdio: ['ignore', 'pipe', 'ignore'] });
}
