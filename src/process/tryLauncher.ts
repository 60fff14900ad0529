import { spawn } from 'node:child_process';

/** Above what a cold start takes on a busy machine. */
const TIMEOUT_MS = 10_000;

/**
 * Runs the hook launcher as an agent would, outside any workspace. It has to end there at once, silently and with 0. Returns the failure,
 * if any.
 */
export function tryLauncher(launcher: string): Promise<string | undefined> {
	return new Promise(resolve => {
		const child = spawn(launcher, ['doctor', 'Check', 'report', '/nonexistent'], {
			stdio: ['pipe', 'pipe', 'pipe'],
			timeout: TIMEOUT_MS,
		});
		let output = '';
		child.stdout.on('data', (data: Buffer) => (output += data.toString()));
		child.stderr.on('data', (data: Buffer) => (output += data.toString()));
		child.on('error', error => resolve(error.message));
		child.on('close', (code, signal) => {
			if (code === 0 && output === '') resolve(undefined);
			else resolve(`it ended with ${signal ?? code} and said ${JSON.stringify(output.slice(0, 200))}`);
		});
		// It may end without reading.
		child.stdin.on('error', () => undefined);
		child.stdin.end('{}');
	});
}
