import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { isLink, linkRefused } from './links.ts';

/** Below it, Linux names what a process has open: see proc_pid_fd(5). */
const OPEN_FILES = '/proc/self/fd';

/** On macOS and Windows no path leads to a file of an open folder. */
export const CAN_HOLD = process.platform === 'linux' && existsSync(OPEN_FILES);

/** Stands for every file of a folder that is not there. Nobody can put anything there. */
export const NOWHERE = `${OPEN_FILES}/none/none`;

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The folders that are held, for the words of errors. */
const pathsByFd = new Map<number, string>();

/**
 * A folder that stays the same one, whatever gets its name. An agent's program can exchange a folder below the workspace by a link at any
 * time. So each folder is opened in the one above it, and each file is reached through the open folder. Where the system cannot do that, a
 * held folder is only its path, and whoever changes something there looks for links right before.
 */
export class HeldFolder {
	private constructor(
		readonly path: string,
		private readonly fd: number | undefined,
	) {}

	/**
	 * Opens a folder. Links above it are followed, but not one in its own place.
	 * @returns undefined if it is not there, or is no folder
	 * @throws NancyError `bad-file` for a link
	 */
	static open(path: string, canHold = CAN_HOLD): HeldFolder | undefined {
		return canHold ? HeldFolder.hold(path, path) : HeldFolder.look(path);
	}

	/**
	 * {@link open} for a folder below another one, whose way nobody can exchange. Each folder between them is opened in the one above it.
	 * @param make with these permission bits, what is missing; the umask takes some away
	 * @returns undefined if one of them is not there, or is no folder
	 * @throws NancyError `bad-file` for a link, and if a folder cannot be made in the place of a file
	 */
	static openBelow(root: string, path: string, make?: number, canHold = CAN_HOLD): HeldFolder | undefined {
		if (make !== undefined) mkdirSync(root, { recursive: true, mode: make });
		let folder = HeldFolder.open(root, canHold);
		for (const name of relative(root, path).split(sep).filter(Boolean)) {
			const above = folder;
			try {
				folder = make === undefined ? above?.inner(name) : above?.make(name, make);
			} finally {
				above?.close();
			}
		}
		return folder;
	}

	/** {@link open} for a folder in this one. */
	inner(name: string): HeldFolder | undefined {
		const path = join(this.path, name);
		return this.fd === undefined ? HeldFolder.look(path) : HeldFolder.hold(this.at(name), path);
	}

	/** {@link inner}, made if it is missing. @throws NancyError `bad-file` for a file in its place, too */
	make(name: string, mode = 0o700): HeldFolder {
		const present = this.inner(name);
		if (present) return present;
		try {
			mkdirSync(this.at(name), { mode });
		} catch (error) {
			if (!hasErrno(error, 'EEXIST')) throw namedError(error);
		}
		const made = this.inner(name);
		if (made) return made;
		throw new NancyError('bad-file', phrase`${join(this.path, name)} is not a folder; move it away and try again`);
	}

	/** The path of a file in it, or its own, for calls of the system. Valid until it is closed. */
	at(name?: string): string {
		const folder = this.fd === undefined ? this.path : `${OPEN_FILES}/${this.fd}`;
		return name === undefined ? folder : `${folder}${sep}${name}`;
	}

	/** {@link at} for a program that this one starts, which has nothing open here. */
	atForOthers(name: string): string {
		if (this.fd === undefined) return this.at(name);
		return join('/proc', readlinkSync('/proc/self'), 'fd', String(this.fd), name);
	}

	close(): void {
		if (this.fd === undefined) return;
		closeSync(this.fd);
		pathsByFd.delete(this.fd);
	}

	private static hold(place: string, path: string): HeldFolder | undefined {
		try {
			const fd = openSync(place, FOLDER);
			pathsByFd.set(fd, path);
			return new HeldFolder(path, fd);
		} catch (error) {
			if (hasErrno(error, 'ENOENT')) return undefined;
			// ENOTDIR for a link, too.
			if (!hasErrno(error, 'ENOTDIR', 'ELOOP')) throw namedError(error);
			if (isLink(place)) throw linkRefused(path);
			return undefined;
		}
	}

	private static look(path: string): HeldFolder | undefined {
		if (isLink(path)) throw linkRefused(path);
		return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? new HeldFolder(path, undefined) : undefined;
	}
}

/**
 * Changes a file below a `.nancy`, such as replaces it. Its folders are made, and the last one is held meanwhile. Other files are reached by
 * their path.
 * @param act gets the path for calls of the system
 */
export function inHeldFolder<T>(file: string, act: (file: string) => Promise<T>): Promise<T> {
	return through(file, act, 0o700);
}

/** {@link inHeldFolder} that makes no folder, such as for a reader. @throws NancyError `bad-file` for a link on the way */
export function fromHeldFolder<T>(file: string, act: (file: string) => Promise<T>): Promise<T> {
	return through(file, act);
}

async function through<T>(file: string, act: (file: string) => Promise<T>, make?: number): Promise<T> {
	const root = rootOf(file);
	if (root === undefined) return act(file);
	const folder = HeldFolder.openBelow(root, dirname(file), make);
	try {
		return await act(folder?.at(basename(file)) ?? NOWHERE);
	} catch (error) {
		throw namedError(error);
	} finally {
		folder?.close();
	}
}

/** {@link inHeldFolder} for the hook program. The folder must exist. */
export function inHeldFolderSync(file: string, act: (file: string) => void): void {
	const folder = HeldFolder.openBelow(rootOf(file) ?? dirname(file), dirname(file));
	try {
		act(folder?.at(basename(file)) ?? NOWHERE);
	} catch (error) {
		throw namedError(error);
	} finally {
		folder?.close();
	}
}

/** The `.nancy` that a file is in: the last one, because none of Nancy's names below it is `.nancy`. */
function rootOf(file: string): string | undefined {
	return /^.*[\\/]\.nancy(?=[\\/])/.exec(file)?.[0];
}

/** A text of the system, with the path of each folder that is held. */
export function named(text: string): string {
	return text.replace(/\/proc\/self\/fd\/(\d+)/g, (held, fd: string) => pathsByFd.get(Number(fd)) ?? held);
}

/** An error of the system, with the path of each folder that is held. */
export function namedError(error: unknown): unknown {
	if (error instanceof Error) error.message = named(error.message);
	return error;
}
