import { existsSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTree } from '../../base/removeTree.ts';
import { entryNames, folderNames } from '../../base/listing.ts';
import { liveness } from '../../base/liveness.ts';
import { SessionId, TaskName, WorkerName } from '../../protocol/names.ts';
import { Leases } from '../files/leases.ts';
import { sweepFolder } from '../files/leftBehind.ts';
import { folderByState, MESSAGE_STATES } from '../mailbox/mailboxPaths.ts';
import { ToldMarks } from '../memory/toldMarks.ts';
import { PluginSessions, sweepPluginSessions } from '../deployment/pluginSessions.ts';
import { forgetConversation } from '../sessions/conversationRecord.ts';
import { forgetSealedAgents } from '../sessions/sealedAgents.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { FOUND_TASK_MS } from './foundTasks.ts';
import { forgetGoneFolders } from './goneFolders.ts';
import { sessionBinding } from '../sessions/bindings.ts';
import { forgetSeal, SEALED } from '../workspace/sealedSessions.ts';
import { STARTS } from '../start/workerProcess.ts';

/**
 * Removes useless leftovers of kills and ended sessions from a workspace. These are half-written files, locks of dead processes, signs of
 * life of machines that have gone, and records of ended agents. Doorbells and marks of ended sessions go too. From the user's data folder
 * go the records of deleted workspace folders. A session that continues gets new ones. Reads each mailbox's folder names, so it is for a
 * window, now and then. Unreadable files are left for the next time.
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
		paths.machines,
		paths.memory,
		workspace.own.path(SEALED),
		workspace.own.path(STARTS),
	])
		await sweepFolder(folder);
	await new Leases(paths.machines).sweep();
	for (const name of await folderNames(paths.tasks)) {
		const task = TaskName.safeParse(name);
		if (task.success) await sweepTask(workspace, task.data).catch(() => undefined); // behind a link it is somebody else's
	}
	await removeTree(paths.agents);
	await workspace.own.remove('agents'); // of earlier versions
	forgetSealedAgents(workspace.own.dataFolder);
	await forgetEndedSessions(workspace);
	await forgetGoneFolders(workspace.own.dataFolder, Date.now());
	await sweepPluginSessions(workspace.own.dataFolder);
	await sweepToldMarks(new ToldMarks(workspace.own.dataFolder));
}

/** Removes the marks of workspaces whose records are gone, and half-written ones. */
async function sweepToldMarks(marks: ToldMarks): Promise<void> {
	await sweepFolder(marks.folder);
	for (const name of await entryNames(marks.folder)) {
		const session = SessionId.safeParse(name);
		const mark = session.success ? marks.read(session.data) : undefined;
		if (session.success && mark && !existsSync(dirname(mark.notes))) await marks.forget(session.data);
	}
}

async function sweepTask(workspace: Workspace, task: TaskName): Promise<void> {
	const { paths } = workspace;
	workspace.refuseLinks(task);
	for (const folder of [paths.task(task), paths.workers(task), paths.screens(task)]) await sweepFolder(folder);
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

/** Removes the marks of sessions that ended long ago. The worker of a session stays known as long as that worker exists. */
async function forgetEndedSessions(workspace: Workspace): Promise<void> {
	const { sessions, bells, phases, halts, waiters } = workspace.paths;
	for (const folder of [bells, phases, halts, waiters, sessions]) {
		for (const name of await entryNames(folder)) {
			const session = SessionId.safeParse(name.replace(/\.(un)?held$/, ''));
			const file = join(folder, name);
			const found = await lstat(file).catch(() => undefined);
			if (!session.success || !found?.isFile() || Date.now() - found.mtimeMs < FOUND_TASK_MS) continue;
			const use = await useOf(workspace, session.data);
			if (use !== 'gone' && (use !== 'ended' || folder === sessions)) continue;
			await rm(file, { force: true });
			if (use === 'gone') await forgetSeal(workspace.own, session.data);
			await workspace.prepared.forget(session.data);
			await forgetConversation(workspace.own, session.data);
			await new PluginSessions(workspace.own).forget(session.data);
			await new ToldMarks(workspace.own.dataFolder).forget(session.data);
		}
	}
}

/** `gone`: there is no such worker. `ended`: its worker's process is dead, or went on in another session. */
async function useOf(workspace: Workspace, session: SessionId): Promise<'gone' | 'ended' | 'in use'> {
	const binding = await sessionBinding(workspace, session);
	if (!binding) return 'gone';
	// An unreadable record counts as present.
	const worker = await workspace.worker(binding.address).catch(() => 'unreadable' as const);
	if (worker === undefined) return 'gone';
	if (worker === 'unreadable') return 'in use';
	const isCurrent = worker.sessions.at(-1)?.id === session;
	const isDead = worker.process !== undefined && liveness(worker.process) === 'dead';
	return isCurrent && !isDead ? 'in use' : 'ended';
}
