import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { TaskName, WorkerName, type SessionId } from '../../protocol/names.ts';
import { readMark } from '../files/plainFile.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** The mailbox of a session. */
export interface SessionBinding {
	address: WorkerAddress;
	/** The session watches its doorbell, so it needs no other wake. */
	watched: boolean;
}

/** Ties a session to a mailbox, for the guard and the hook program. */
export async function bindSession(
	workspace: Workspace,
	session: SessionId,
	{ address, watched }: SessionBinding,
): Promise<void> {
	workspace.refuseLinks();
	const { paths } = workspace;
	const mailbox = relative(paths.root, paths.mailbox(address.task, address.worker));
	await writeFileAtomic(
		paths.session(session),
		`${mailbox.replaceAll('\\', '/')}\n${watched ? 'watched' : 'unwatched'}\n`,
	);
}

/** Undefined for a session without a mailbox, and for a file that names none. */
export async function sessionBinding(workspace: Workspace, session: SessionId): Promise<SessionBinding | undefined> {
	workspace.refuseLinks();
	const [mailbox = '', flag] = ((await readMark(workspace.paths.session(session))) ?? '').split('\n');
	const match = /^tasks\/([^/]+)\/comms\/([^/]+)$/.exec(mailbox);
	const task = TaskName.safeParse(match?.[1]);
	const worker = WorkerName.safeParse(match?.[2]);
	if (!task.success || !worker.success) return undefined;
	return { address: { task: task.data, worker: worker.data }, watched: flag === 'watched' };
}

/** Removes a session's binding to a worker that is gone, with its marks. */
export async function forgetSession(workspace: Workspace, session: SessionId): Promise<void> {
	const binding = await sessionBinding(workspace, session);
	if (binding && (await workspace.worker(binding.address))) return; // it went on as another worker
	const { phases, halts, waiters } = workspace.paths;
	const files = [phases, halts, waiters].map(folder => join(folder, session));
	const held = join(phases, `${session}.held`);
	for (const file of [...files, held, workspace.paths.bell(session), workspace.paths.session(session)])
		await rm(file, { force: true });
	await workspace.prepared.forget(session);
}
