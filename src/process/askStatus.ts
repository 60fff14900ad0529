import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { NancyError } from '../base/errors.ts';
import type { Driver, ProbedStatus } from '../core/driver.ts';
import type { SessionId } from '../protocol/names.ts';

const run = promisify(execFile);

/** Asks an agent CLI what all its sessions are doing. Rejects where it cannot tell. */
export async function askStatus(
	driver: Driver,
	executable: string,
	env: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<SessionId, ProbedStatus>> {
	if (driver.probe === 'none')
		throw new NancyError('agent-too-old', `${driver.displayName} does not tell its status`);
	const inherited = Object.entries(env).filter(([name]) => !driver.foreignVariables.includes(name));
	const { stdout } = await run(executable, [...driver.probe.args], {
		timeout: driver.probe.timeoutMs,
		maxBuffer: 4 * 1024 * 1024,
		// A question of Nancy's own is no session to report.
		env: { ...Object.fromEntries(inherited), NANCY_HOOKS: 'off' },
	});
	return driver.probe.read(stdout);
}
