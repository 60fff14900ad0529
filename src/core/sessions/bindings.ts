import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { removeTree } from '../../base/removeTree.ts';
import { ORCHESTRATOR, TaskName, WorkerName, type SessionId } from '../../protocol/names.ts';
import { inHeldFolder } from '../files/heldFolder.ts';
import { ifOwn } from '../files/ownFolder.ts';
import { COMPILED, ToldMarks } from '../memory/toldMarks.ts';
import { readMark } from '../files/plainFile.ts';
import { isSameAddress, type WorkerAddress, type Workspace } from '../workspace/workspace.ts';
import { forgetConversation } from './conversationRecord.ts';
import { forgetSeal, sealedSession, sealSession } from '../workspace/sealedSessions.ts';

/** The mailbox of a session. */
export interface SessionBinding {
	address: WorkerAddress;
	/** The session watches its doorbell, so it needs no other wake. */
	watched: boolean;
}

/** What is known of a session. */
export interface KnownSession {
	/**
	 * It decides who hears the words of a mailbox. Agents write below the workspace, so the guard's file there says only whether the program
	 * is needed.
	 */
	sealed: WorkerAddress | undefined;
	/** The guard's file, whatever it says. */
	filed: SessionBinding | undefined;
	/** What holds. */
	binding: SessionBinding | undefined;
}

/** Since when sessions are sealed here, in milliseconds since 1970. Earlier versions did not seal them. */
const Since = z.lazy(() => z.object({ version: z.literal(1), since: z.number() }));
const SINCE = 'sessions-since.json';

/** Ties a session to a mailbox, for the guard and the hook program. */
export async function bindSession(
	workspace: Workspace,
	session: SessionId,
	{ address, watched }: SessionBinding,
): Promise<void> {
	workspace.refuseLinks();
	const { paths } = workspace;
	await seal(workspace, session, address);
	const mailbox = relative(paths.root, paths.mailbox(address.task, address.worker));
	const text = `${mailbox.replaceAll('\\', '/')}\n${watched ? 'watched' : 'unwatched'}\n`;
	await inHeldFolder(paths.session(session), file => writeFileAtomic(file, text));
}

/** Undefined for a session without a mailbox. */
export async function sessionBinding(workspace: Workspace, session: SessionId): Promise<SessionBinding | undefined> {
	return (await knownSession(workspace, session)).binding;
}

/** Reads the seal of a session and the guard's file. No session has the human's own mailbox. */
export async function knownSession(workspace: Workspace, session: SessionId): Promise<KnownSession> {
	workspace.refuseLinks();
	const filed = await filedBinding(workspace, session);
	const sealed = sealedSession(workspace.own, session);
	if (sealed) {
		const watched = filed !== undefined && filed.watched && isSameAddress(filed.address, sealed);
		return { sealed, filed, binding: { address: sealed, watched } };
	}
	const holds = filed && (await isOlderThanSeals(workspace, workspace.paths.session(session)));
	return { sealed, filed, binding: holds ? filed : undefined };
}

/** Removes a session's binding to a worker that is gone, with its marks. */
export async function forgetSession(workspace: Workspace, session: SessionId): Promise<void> {
	const binding = await sessionBinding(workspace, session);
	if (binding && (await workspace.worker(binding.address))) return; // it went on as another worker
	const { phases, halts, waiters } = workspace.paths;
	const files = [phases, halts, waiters].map(folder => join(folder, session));
	const marks = ['held', 'unheld'].map(mark => join(phases, `${session}.${mark}`));
	for (const file of [...files, ...marks, workspace.paths.bell(session), workspace.paths.session(session)])
		await removeTree(file); // an agent can put a folder there
	await forgetSeal(workspace.own, session);
	await forgetConversation(workspace.own, session);
	await workspace.prepared.forget(session);
	await new ToldMarks(workspace.own.dataFolder).forget(session);
}

async function filedBinding({ paths }: Workspace, session: SessionId): Promise<SessionBinding | undefined> {
	const [mailbox = '', flag] = ((await readMark(paths.session(session))) ?? '').split('\n');
	const match = /^tasks\/([^/]+)\/comms\/([^/]+)$/.exec(mailbox);
	const task = TaskName.safeParse(match?.[1]);
	const worker = WorkerName.safeParse(match?.[2]);
	if (!task.success || !worker.success || worker.data === ORCHESTRATOR) return undefined;
	return { address: { task: task.data, worker: worker.data }, watched: flag === 'watched' };
}

/** Whether an earlier version may have written a file. No agent can choose when a file was last changed or renamed (ctime). */
async function isOlderThanSeals({ own }: Workspace, file: string): Promise<boolean> {
	const since = ifOwn(() => own.readSync(Since, SINCE))?.since;
	// One that is there and cannot be read, as after a power cut, says nothing for an agent's file.
	if (since === undefined) return !ifOwn(() => own.namesSync())?.includes(SINCE);
	const found = await lstat(file).catch(() => undefined); // gone again
	return found !== undefined && found.ctimeMs < since;
}

/** In a folder that is not the user's own, nothing is sealed: every message is then of an unknown author, and no notes are told. */
async function seal({ own }: Workspace, session: SessionId, address: WorkerAddress): Promise<void> {
	try {
		const isKnown = () => ifOwn(() => own.readSync(Since, SINCE)) !== undefined;
		const isMade = isKnown() || (await own.create({ version: 1, since: Date.now() }, SINCE)) || isKnown();
		// What is there cannot be read. No file counts as older.
		if (!isMade) await own.write({ version: 1, since: 0 }, SINCE);
		await sealSession(own, session, address);
		// Before the guard knows the session: hooks of two events may run at once.
		new ToldMarks(own.dataFolder).begin(session, own.path(COMPILED));
	} catch (error) {
		if (!(error instanceof NancyError && error.code === 'bad-file')) throw error;
	}
}
