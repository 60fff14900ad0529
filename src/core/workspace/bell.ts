import { open, utimes } from 'node:fs/promises';
import type { SessionId } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { inHeldFolder } from '../files/heldFolder.ts';
import { APPEND, writeInPlace } from '../files/links.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import type { NancyPaths } from '../files/paths.ts';
import { sealedSession, type Sealed } from './sealedSessions.ts';

/** Makes the file that the session will watch. A watcher does not see a file in a missing folder. */
export async function makeBell(paths: NancyPaths, session: SessionId): Promise<string> {
	const bell = paths.bell(session);
	// Opened for appending: a bell that has just been rung keeps its content.
	await inHeldFolder(bell, async held => (await open(held, APPEND, 0o600)).close());
	return bell;
}

/**
 * Touches the doorbell of a worker's current session: tells an idle agent that a message waits. The record only says which of the
 * worker's sessions is the last: an agent can write another's into it.
 * @param recorded as the worker's record names them
 */
export async function ringBell(
	paths: NancyPaths,
	own: OwnFolder,
	{ task, worker }: Sealed,
	recorded: WorkerRecord['sessions'],
): Promise<void> {
	const sessions = recorded.map(({ id }) => ({ id, sealed: sealedSession(own, id) }));
	// Sessions of earlier versions have no seal.
	const session =
		sessions.findLast(({ sealed }) => sealed?.task === task && sealed.worker === worker) ??
		sessions.findLast(({ sealed }) => sealed === undefined);
	if (session) await touch(paths.bell(session.id));
}

async function touch(file: string): Promise<void> {
	const now = new Date();
	await inHeldFolder(file, async held => {
		// Written and not only touched: some watchers compare content or size.
		await writeInPlace(held, `${now.toISOString()}\n`, 'overwrite');
		await utimes(held, now, now);
	});
}
