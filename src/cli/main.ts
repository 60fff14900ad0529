import { writeSync } from 'node:fs';
import { version } from '../../package.json';
import { errorText, hasErrno } from '../base/errors.ts';
import { dataFolder } from '../base/folders.ts';
import { ownMachine } from '../base/machine.ts';
import { askerOf, environmentOf, type Lineage, type SealOf } from '../core/asker/asker.ts';
import { sealedAgent } from '../core/sessions/sealedAgents.ts';
import { programs } from '../drivers/programs.ts';
import { becomeEnvironment } from '../process/environment.ts';
import { lineageOf } from '../process/lineage.ts';
import { restoreNodeOptions } from '../process/runnerHost.ts';
import { commands } from './commands.ts';
import { runCommandLine } from './run.ts';

// The reader of a pipe may close it first (`nancy traffic | head`), which is no failure. A command that must end something first listens
// itself.
process.stdout.on('error', error => {
	if (process.stdout.listenerCount('error') > 1) return;
	if (hasErrno(error, 'EPIPE')) process.exit(0);
	// At once, because queued output would never be written.
	writeSync(process.stderr.fd, `nancy: standard output cannot be written: ${errorText(error)}\n`);
	process.exit(1);
});
// Nobody is left to read the error.
process.stderr.on('error', () => undefined);

restoreNodeOptions(process.env);
let known: Lineage | undefined;

const sealOf: SealOf = ({ pid, startedTicks }, env) =>
	sealedAgent(dataFolder(env), { machine: ownMachine(), pid, startedTicks });

/** The processes above this one. A command reads the environment through them, so that it is the asker's from the start. */
function lineage(): Lineage {
	if (known) return known;
	known = lineageOf({ ...process.env });
	becomeEnvironment(environmentOf(known, programs, sealOf));
	return known;
}

void runCommandLine(process.argv.slice(2), commands, {
	program: process.argv[1] ?? '',
	cwd: process.cwd(),
	get env() {
		lineage();
		return process.env;
	},
	stdin: process.stdin,
	stdout: process.stdout,
	stderr: process.stderr,
	version,
	asker: () => askerOf(lineage(), programs, sealOf),
}).then(exitCode => {
	process.exitCode = exitCode;
});
