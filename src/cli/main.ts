import { writeSync } from 'node:fs';
import { version } from '../../package.json';
import { errorText, hasErrno } from '../base/errors.ts';
import { programAsker, programEnvironment } from '../operations/shared/programAsker.ts';
import { restoreNodeOptions } from '../process/runnerHost.ts';
import { commands } from './commands.ts';
import { runCommandLine } from './run.ts';

/** Both outputs may be the same file. */
function complain(text: string): void {
	try {
		writeSync(process.stderr.fd, `nancy: ${text}\n`);
	} catch {
		// Nobody is left to read it.
	}
}

let isOutputLost = false;
// The reader of a pipe may close it first (`nancy traffic | head`), which is no failure. A command that must end something first listens
// itself.
process.stdout.on('error', error => {
	const isClosed = hasErrno(error, 'EPIPE');
	const isNew = !isClosed && !isOutputLost;
	isOutputLost ||= !isClosed;
	if (isNew) complain(`standard output cannot be written: ${errorText(error)}`);
	if (isOutputLost) process.exitCode ||= 1;
	// At once, because queued output would never be written.
	if (process.stdout.listenerCount('error') === 1) process.exit(isOutputLost ? 1 : 0);
});
// Nobody is left to read the error.
process.stderr.on('error', () => undefined);

/** A worktree may have been removed with a shell in it. */
function currentFolder(): string {
	try {
		return process.cwd();
	} catch (error) {
		complain(`the current folder is not there any more: ${errorText(error)}`);
		process.exit(1);
	}
}

restoreNodeOptions(process.env);
const given = { ...process.env };

void runCommandLine(process.argv.slice(2), commands, {
	program: process.argv[1] ?? '',
	cwd: currentFolder(),
	get env() {
		return programEnvironment();
	},
	given,
	stdin: process.stdin,
	stdout: process.stdout,
	stderr: process.stderr,
	version,
	asker: programAsker,
}).then(exitCode => {
	process.exitCode = exitCode || (isOutputLost ? 1 : 0);
});
