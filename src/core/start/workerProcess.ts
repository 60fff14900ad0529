import { ENDED, liveness, type ProcessIdentity } from '../../base/liveness.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { bindSession } from '../sessions/bindings.ts';
import { sealStart } from '../sessions/sealedAgents.ts';
import { sealedSession } from '../workspace/sealedSessions.ts';
import { redactText } from '../traffic/redact.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** Where the files are that a start empties. They have names of half-written files, so a sweep removes them. */
export const STARTS = 'starts';

/**
 * Seals that a process is this worker, and notes it, so that every window and command can tell whether it still runs. To be called at once:
 * the agent is this worker only from then on. A process that failed at once is noted as ended: its pid means nothing any more.
 */
export async function recordProcess(
	workspace: Workspace,
	address: WorkerAddress,
	found: ProcessIdentity,
): Promise<void> {
	const isEnded = liveness(found) === 'dead';
	if (!isEnded) sealStart(workspace.own.dataFolder, found, { folder: workspace.folder, address });
	const process = isEnded ? { pid: found.pid, startedTicks: ENDED } : found;
	await workspace.updateWorker(address, record => record && { ...withoutStart(record), process });
}

/** Notes the session that a CLI has chosen itself. Without hooks nothing else names the session to continue. */
export async function noteSession(workspace: Workspace, address: WorkerAddress, id: SessionId): Promise<void> {
	await workspace.updateWorker(address, record => {
		if (!record || record.sessions.some(session => session.id === id)) return undefined;
		return { ...record, sessions: [...record.sessions, { id, startedAt: new Date().toISOString() }] };
	});
	if (!sealedSession(workspace.own, id)) await bindSession(workspace, id, { address, watched: false });
}

/** Gives back the right to start a planned worker that will not start. */
export async function abandonStart(workspace: Workspace, address: WorkerAddress): Promise<void> {
	await workspace.updateWorker(address, record => record && withoutStart(record));
}

/** Notes that a worker was ended on purpose. */
export async function recordStop(workspace: Workspace, address: WorkerAddress): Promise<void> {
	await workspace.updateWorker(address, record => record && { ...record, stoppedAt: new Date().toISOString() });
}

/** Notes how the process of a worker ended, unless the worker has another one by now. */
export async function recordExit(
	workspace: Workspace,
	address: WorkerAddress,
	pid: number,
	{ code, lines: printed }: Omit<NonNullable<WorkerRecord['exit']>, 'at'>,
): Promise<void> {
	// A CLI that refuses its key may print it.
	const lines = redactText(printed.join('\n')).split('\n');
	await workspace.updateWorker(address, record =>
		record?.process?.pid === pid ? { ...record, exit: { code, at: new Date().toISOString(), lines } } : undefined,
	);
}

function withoutStart({ starting: _over, ...record }: WorkerRecord): WorkerRecord {
	return record;
}
