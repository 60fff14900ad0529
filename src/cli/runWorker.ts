import { constants } from 'node:os';
import { identify } from '../base/liveness.ts';
import { recordProcess, recordStop } from '../core/start/workerProcess.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { runInForeground, type ForegroundProgram } from '../process/foreground.ts';

/**
 * By itself, or asked to by the signals of a person, a closed terminal or another program. With any other code it failed and was not
 * stopped; `nancy stop` notes its own stops.
 */
const ENDED_ON_PURPOSE: ReadonlySet<number> = new Set([
	0,
	...(['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map(name => 128 + constants.signals[name]),
]);

/** Runs a worker's agent in this terminal until it ends. @returns its exit code */
export async function runWorker(
	workspace: Workspace,
	plan: ForegroundProgram & { address: WorkerAddress },
): Promise<number> {
	const { address } = plan;
	const code = await runInForeground(plan, pid => recordProcess(workspace, address, identify(pid)));
	if (ENDED_ON_PURPOSE.has(code)) await recordStop(workspace, address);
	return code;
}
