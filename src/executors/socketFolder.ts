import { chmodSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hasErrno } from '../base/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A folder for the sockets of shared connections in which nobody else can put one: `ssh` gives everything to whoever listens there. It is made
 * if it is missing.
 * @returns undefined if the place belongs to somebody else, or others may change it; then connections are not shared. Also on Windows, whose
 * `ssh` shares none
 */
export function socketFolder(env: Environment = process.env): string | undefined {
	const me = process.getuid?.();
	if (me === undefined) return undefined;
	const runtime = env['XDG_RUNTIME_DIR'];
	const usual = runtime?.startsWith('/') ? runtime : tmpdir();
	// macOS names a user's folder for temporary files at length.
	const folder = [usual, '/tmp'].map(above => join(above, `nancy-ssh-${me}`)).find(isShort);
	if (folder === undefined) return undefined;
	try {
		if (!isSafeAround(folder, me)) return undefined;
		make(folder);
		if (isOpen(folder, me)) {
			// Somebody may have put a socket into it.
			rmSync(folder, { recursive: true });
			make(folder);
		}
		chmodSync(folder, 0o700);
		return isOpen(folder, me) ? undefined : folder;
	} catch {
		return undefined; // it is not this user's, or the folder above is missing
	}
}

/** In bytes: `sun_path` of the system, whose last one is a zero. */
const LONGEST_SOCKET = process.platform === 'linux' ? 108 : 104;

/** `%C` becomes 40 characters, a digit may follow, and ssh adds 17 of its own while it makes the socket. */
function isShort(folder: string): boolean {
	return Buffer.byteLength(folder) + 59 < LONGEST_SOCKET;
}

/** Others could exchange a folder in one of theirs, and in an open one without the sticky bit. */
function isSafeAround(folder: string, me: number): boolean {
	const { uid, mode } = lstatSync(realpathSync(dirname(folder)));
	return (uid === me || uid === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0);
}

function make(folder: string): void {
	try {
		mkdirSync(folder, { mode: 0o700 });
	} catch (error) {
		if (!hasErrno(error, 'EEXIST')) throw error;
	}
}

/** @throws Error for a link, a file, or a folder of somebody else: it is neither removed nor changed */
function isOpen(folder: string, me: number): boolean {
	const found = lstatSync(folder);
	if (!found.isDirectory() || found.uid !== me) throw new Error(`${folder} is not this user's folder`);
	return (found.mode & 0o022) !== 0;
}
