import {
	chmodSync,
	closeSync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	linkSync,
	lstatSync,
	lutimesSync,
	mkdirSync,
	openSync,
	readFileSync,
	readSync,
	readdirSync,
	renameSync,
	rmSync,
	rmdirSync,
	statSync,
	utimesSync,
	writeFileSync,
	type StatOptions,
} from 'node:fs';

/**
 * The `node:fs/promises` of the hook programs (scripts/lib/bundles.mjs). Nothing else goes on while the agent waits, so no call is worth a
 * trip through the thread pool. Node's own module also loads its line editor, which takes longer than a delivery. A missing name fails the
 * build.
 */
function blocking<Args extends unknown[], Result>(call: (...args: Args) => Result) {
	return (...args: Args) => new Promise<Result>(resolve => resolve(call(...args)));
}

export const chmod = blocking(chmodSync);
export const link = blocking(linkSync);
export const lstat = blocking(lstatSync);
export const lutimes = blocking(lutimesSync);
export const mkdir = blocking(mkdirSync);
export const readFile = blocking(readFileSync);
export const readdir = blocking(readdirSync);
export const rename = blocking(renameSync);
export const rm = blocking(rmSync);
export const rmdir = blocking(rmdirSync);
export const stat = blocking(statSync);
export const utimes = blocking(utimesSync);
export const writeFile = blocking(writeFileSync);
export const open = blocking((...args: Parameters<typeof openSync>) => new BlockingFile(openSync(...args)));

/** The parts of a FileHandle that the hook programs use. */
class BlockingFile {
	readonly stat = blocking((options?: StatOptions) => fstatSync(this.fd, options));
	readonly sync = blocking(() => fsyncSync(this.fd));
	readonly truncate = blocking((length?: number) => ftruncateSync(this.fd, length));
	readonly close = blocking(() => closeSync(this.fd));
	readonly [Symbol.asyncDispose] = this.close;
	readonly readFile = blocking(() => readFileSync(this.fd));
	readonly writeFile = blocking((data: string | Uint8Array) => writeFileSync(this.fd, data));
	readonly read = blocking((buffer: Buffer, offset: number, length: number, position: number) => ({
		buffer,
		bytesRead: readSync(this.fd, buffer, offset, length, position),
	}));

	constructor(private readonly fd: number) {}
}
