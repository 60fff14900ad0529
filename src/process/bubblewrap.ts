import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorText, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { onPath } from '../base/searchPath.ts';

/** What a program in a sandbox sees of the files. Everything else of the machine is read-only. Absolute paths. */
export interface Sandbox {
	/** Folders that are empty there. What is written in them goes with the sandbox. */
	hidden: readonly string[];
	/** Parts of hidden folders that can be read. One that is missing stays missing. */
	readable: readonly string[];
	/** Files and folders that can be changed. A file that is missing stays missing. */
	writable: readonly string[];
	/** Parts of writable folders that cannot be changed, removed or replaced. */
	fixed: readonly string[];
	hasNetwork: boolean;
}

/**
 * Namespaces of its own, no privileges in them, and an end with its starter. The processes outside cannot be seen or signalled. As root,
 * bubblewrap would make no user namespace and keep every privilege. With them, a program could take the mounts away.
 */
const APART = [
	'--die-with-parent',
	'--new-session',
	'--unshare-user',
	'--unshare-pid',
	'--unshare-ipc',
	'--unshare-uts',
	'--cap-drop',
	'ALL',
	'--ro-bind',
	'/',
	'/',
	'--dev',
	'/dev',
	'--proc',
	'/proc',
];

/** Arguments of `bwrap` (bubblewrap 0.4 and later). Later mounts cover earlier ones, so an outer folder goes before an inner one. */
export function sandboxArgs({ hidden, readable, writable, fixed, hasNetwork }: Sandbox, cwd: string): string[] {
	const mounts = (option: string, paths: readonly string[]) =>
		outerFirst(paths).flatMap(path => (option === '--tmpfs' ? [option, path] : [option, path, path]));
	return [
		...APART,
		...(hasNetwork ? [] : ['--unshare-net']),
		...mounts('--tmpfs', hidden),
		...mounts('--ro-bind-try', readable),
		...mounts('--bind-try', writable),
		...mounts('--ro-bind', fixed),
		'--chdir',
		cwd,
		'--',
	];
}

function outerFirst(paths: readonly string[]): string[] {
	return [...new Set(paths)].toSorted((a, b) => a.length - b.length);
}

/** Arguments for a program that does nothing, to learn whether namespaces can be made. */
export const SANDBOX_TRIAL = [...APART, '--', '/bin/true'];
/** For it, in milliseconds. */
const TRIAL_MS = 20_000;

/**
 * The `bwrap` of this machine.
 * @throws NancyError `io` with the cure if it is missing, or may not make namespaces here
 */
export async function requireBubblewrap(env: Readonly<Record<string, string | undefined>>): Promise<string> {
	if (process.platform !== 'linux')
		throw new NancyError('io', phrase`bubblewrap isolates delegates on Linux alone; ${WITHOUT}`);
	const bwrap = onPath('bwrap', env);
	if (bwrap === undefined)
		throw new NancyError(
			'io',
			phrase`bubblewrap (bwrap) is not installed; install it, for example by "apt install bubblewrap", or ${WITHOUT}`,
		);
	try {
		await promisify(execFile)(bwrap, SANDBOX_TRIAL, { timeout: TRIAL_MS });
	} catch (error) {
		const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
		throw new NancyError(
			'io',
			phrase`bubblewrap may not make namespaces here (${said || errorText(error)}); let the system allow user namespaces, or ${WITHOUT}`,
		);
	}
	return bwrap;
}

const WITHOUT = phrase`choose "none": setting nancy.delegates.isolate, or nancy delegate --isolate none`;
