import type { WorkerAddress, Workspace } from '../../src/core/workspace/workspace.ts';
import type { DriverId, SessionId } from '../../src/protocol/names.ts';
import { bindSession } from '../../src/core/sessions/bindings.ts';

export interface BoundWorker {
	agent: DriverId;
	/** The session that it is in. */
	session: SessionId;
	/** The session watches its doorbell, so it needs no other way to be woken. Default true. */
	isWatched?: boolean;
	agentVersion?: string;
}

/** Adds a worker to a task, as Nancy knows it once its first event has told the session. */
export async function addBoundWorker(
	workspace: Workspace,
	{ task, worker }: WorkerAddress,
	{ agent, session, isWatched = true, agentVersion }: BoundWorker,
): Promise<void> {
	const startedAt = new Date().toISOString();
	await workspace.saveWorker({
		version: 1,
		task,
		name: worker,
		agent,
		...(agentVersion !== undefined && { agentVersion }),
		sessions: [{ id: session, startedAt }],
		startedAt,
	});
	await bindSession(workspace, session, { address: { task, worker }, watched: isWatched });
}
