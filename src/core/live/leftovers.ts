import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entryNames, folderNames } from '../../base/listing.ts';
import { liveness } from '../../base/liveness.ts';
import { SessionId, TaskName, WorkerName } from '../../protocol/names.ts';
import { sweepFolder } from '../files/leftBehind.ts';
import { folderByState, MESSAGE_STATES } from '../mailbox/mailboxFiles.ts';
import { forgetEndedAgents } from '../sessions/sessions.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { FOUND_TASK_MS } from './foundTasks.ts';

/**
 * Removes what kills and ended sessions leave in a workspace and nobody needs: half-written files, locks of dead processes, what is
 * known of agents that have ended, and doorbells and marks of sessions that have. A session that goes on finds them made anew.
 * Reads each mailbox's folder names: for a window, now and then. What cannot be read is left for the next time.
 */
export async function sweepLeftovers(workspace: Workspace): Promise<void> {
	const { paths } = workspace;
	workspace.refuseLinks();
	for (const folder of [
		paths.root,
		paths.sessions,
		paths.bells,
		paths.phases,
		paths.halts,
		paths.waiters,
		paths.agents,
		paths.machines,
	])
		await sweepFolder(folder);
	for (const name of await folderNames(paths.tasks)) {
		const task = TaskName.safeParse(name);
		if (task.success) await sweepTask(workspace, task.data).catch(() => undefined); // behind a link it is somebody else's
	}
	await forgetEndedAgents(workspace);
	await forgetEndedSessions(workspace);
}

async function sweepTask(workspace: Workspace, task: TaskName): Promise<void> {
	const { paths } = workspace;
	workspace.refuseLinks(task);
	for (const folder of [paths.task(task), paths.workers(task)]) await sweepFolder(folder);
	for (const name of await folderNames(paths.comms(task))) {
		const worker = WorkerName.safeParse(name);
		if (!worker.success) continue;
		const mailbox = paths.mailbox(task, worker.data);
		const present = new Set(await folderNames(mailbox));
		await sweepFolder(mailbox);
		for (const state of MESSAGE_STATES)
			if (present.has(folderByState[state])) await sweepFolder(join(mailbox, folderByState[state]));
	}
}

/** The marks of sessions that have ended long ago; which worker a session is stays known as long as there is the worker. */
async function forgetEndedSessions(workspace: Workspace): Promise<void> {
	const { sessions, bells, phases, halts, waiters } = workspace.paths;
	for (const folder of [bells, phases, halts, waiters, sessions]) {
		for (const name of await entryNames(folder)) {
			const session = SessionId.safeParse(name.replace(/\.held$/, ''));
			const file = join(folder, name);
			const found = await lstat(file).catch(() => undefined);
			if (!session.success || !found?.isFile() || Date.now() - found.mtimeMs < FOUND_TASK_MS) continue;
			const use = await useOf(workspace, session.data);
			if (use === 'gone' || (use === 'ended' && folder !== sessions)) await rm(file, { force: true });
		}
	}
}

/** `gone`: there is no such worker. `ended`: its worker's process is dead, or went on in another session. */
async function useOf(workspace: Workspace, session: SessionId): Promise<'gone' | 'ended' | 'in use'> {
	const binding = await workspace.sessionBinding(session);
	if (!binding) return 'gone';
	// A record that cannot be read is there.
	const worker = await workspace.worker(binding.address).catch(() => 'unreadable' as const);
	if (worker === undefined) return 'gone';
	if (worker === 'unreadable') return 'in use';
	const isCurrent = worker.sessions.at(-1)?.id === session;
	const isDead = worker.process !== undefined && liveness(worker.process) === 'dead';
	return isCurrent && !isDead ? 'in use' : 'ended';
}
