import { readSync, writeSync } from 'node:fs';
import { hasErrno } from '../base/errors.ts';

// `process.stdin` and `process.stdout` load Node's network code first, which takes as long as everything else here.

const STDIN = 0;
const STDOUT = 1;
const CHUNK = 64 * 1024;

/** Everything on standard input. */
export async function readInput(): Promise<string> {
	const chunks: Buffer[] = [];
	try {
		for (;;) {
			const chunk = Buffer.allocUnsafe(CHUNK);
			const length = readSync(STDIN, chunk);
			if (length === 0) break;
			chunks.push(chunk.subarray(0, length));
		}
	} catch (error) {
		// Windows reports the end of a pipe as an error. Node waits for a pipe that does not block.
		if (hasErrno(error, 'EAGAIN')) for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
		else if (!hasErrno(error, 'EOF')) throw error;
	}
	return Buffer.concat(chunks).toString('utf8');
}

/** Writes to standard output; false if nobody reads it any more. */
export async function print(output: string): Promise<boolean> {
	const bytes = Buffer.from(output);
	let written = 0;
	try {
		while (written < bytes.length) written += writeSync(STDOUT, bytes, written);
		return true;
	} catch (error) {
		if (!hasErrno(error, 'EAGAIN')) return false;
	}
	return new Promise(resolve => {
		process.stdout.once('error', () => resolve(false));
		process.stdout.write(bytes.subarray(written), error => resolve(!error));
	});
}
