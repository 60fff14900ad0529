import { version } from '../../package.json';
import { hasErrno } from '../base/errors.ts';
import { commands } from './commands.ts';
import { runCommandLine } from './run.ts';

// The reader of a pipe may go first (`nancy traffic | head`): that is no failure.
process.stdout.on('error', error => process.exit(hasErrno(error, 'EPIPE') ? 0 : 1));

void runCommandLine(process.argv.slice(2), commands, {
	cwd: process.cwd(),
	env: process.env,
	stdin: process.stdin,
	stdout: process.stdout,
	stderr: process.stderr,
	version,
}).then(exitCode => {
	process.exitCode = exitCode;
});
