import { identify, isSameProcess, type ProcessIdentity } from '../../base/liveness.ts';
import { isWorker, sealedAgent } from '../../core/sessions/sealedAgents.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { Recipient } from '../inbox/recipients.ts';
import type { Folder } from '../ports.ts';

/** A worker's record may name a process that is another's, such as the user's own shell. */
export function isSealedAs({ path, workspace }: Folder, address: WorkerAddress, process: ProcessIdentity): boolean {
	const sealed = sealedAgent(workspace.own.dataFolder, process);
	return sealed !== undefined && isWorker(sealed, { folder: path, address });
}

/** Whether a process, by its pid in this window, is a worker's agent. */
export function isAgentOf({ folder, address, worker }: Recipient, pid: number | undefined): boolean {
	const { process } = worker.record;
	if (pid === undefined || process?.pid !== pid || !isSameProcess(identify(pid), process)) return false;
	return isSealedAs(folder, address, process);
}
