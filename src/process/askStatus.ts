import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { NO_WORKSPACE } from '../base/searchPath.ts';
import { questionEnvironment } from '../core/driver/agentEnvironment.ts';
import type { Driver } from '../core/driver/driver.ts';
import type { ProbedStatus } from '../core/driver/statusProbe.ts';
import type { SessionId } from '../protocol/names.ts';

const run = promisify(execFile);

/** Asks an agent CLI for the status of all its sessions. Rejects if it cannot tell. */
export async function askStatus(
	driver: Driver,
	executable: string,
	env: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<SessionId, ProbedStatus>> {
	if (driver.probe === 'none')
		throw new NancyError('agent-too-old', phrase`${driver.displayName} does not tell its status`);
	const { stdout } = await run(executable, [...driver.probe.args], {
		timeout: driver.probe.timeoutMs,
		// One that heeds no request would be waited for without end.
		killSignal: 'SIGKILL',
		maxBuffer: 4 * 1024 * 1024,
		env: questionEnvironment(driver, env),
		cwd: NO_WORKSPACE,
	});
	return driver.probe.read(stdout);
}
