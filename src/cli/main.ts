import { version } from '../../package.json';
import { hasErrno } from '../base/errors.ts';
import { commands } from './commands.ts';
import { runCommandLine } from './run.ts';

// The reader of a pipe may go first (`nancy traffic | head`): that is no failure. A command that has something to end first listens
// itself.
process.stdout.on('error', error => {
	if (process.stdout.listenerCount('error') === 1) process.exit(hasErrno(error, 'EPIPE') ? 0 : 1);
});
// Nobody is left to be told.
process.stderr.on('error', () => undefined);

void runCommandLine(process.argv.slice(2), commands, {
	program: process.argv[1] ?? '',
	cwd: process.cwd(),
	env: process.env,
	stdin: process.stdin,
	stdout: process.stdout,
	stderr: process.stderr,
	version,
}).then(exitCode => {
	process.exitCode = exitCode;
});
