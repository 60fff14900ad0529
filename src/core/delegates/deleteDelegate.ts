import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { entryNames } from '../../base/listing.ts';
import { DelegateId, type DelegateRecord } from '../../protocol/delegate.ts';
import { deleteWorker } from '../workspace/deleteWorker.ts';
import { settle } from './ending.ts';
import { isFinal, swarmFeatures } from './delegate.ts';
import type { Delegates } from './delegates.ts';
import type { DelegateFiles } from './files.ts';
import { passOnResults } from './report.ts';
import { reportable } from './reportable.ts';
import { swarmFiles } from './swarm.ts';
import { liveSwarmRun } from './swarmRun.ts';
import type { Tickets } from './tickets.ts';

/**
 * Nobody has written to a delegate's files for so long, in milliseconds: it is neither being queued nor at work, and its answer, of
 * which a message may name the file, has been read.
 */
const ORPHAN_MS = 7 * 24 * 60 * 60 * 1000;

/** What a person may have put there is theirs. */
const OWN_FILE = /^(\d{8}t\d{9}z-[0-9a-f]{8})\.(?:status|output|done|log|prompt)$/;

/**
 * Deletes a delegate that has ended: its files, those kept for a swarm, its mailbox and its ticket, once its result is where it belongs. Its worktree is
 * another matter. After a kill it may be repeated; one that is gone already is no error. Of one that was never queued here nothing
 * is sent to anybody.
 * @param refuseSending throws where nothing may be sent; asked only when something would be, and then all stays
 * @throws NancyError `busy` while it waits or works
 */
export async function deleteDelegate(
	store: Delegates,
	tickets: Tickets,
	id: DelegateId,
	refuseSending: () => Promise<void>,
): Promise<void> {
	await store.locked(async () => {
		const found = await store.find(id);
		if (!found) return;
		const delegate = await reportable(store, tickets, found);
		if (!isFinal(delegate.state)) throw new NancyError('busy', `${id} has not ended; stop it first`);
		const { record } = delegate;
		// Also where its files have changed: only the record of one that came from elsewhere names its asker without the user.
		const wasQueuedHere = await tickets.has(id);
		if (wasQueuedHere && !delegate.status.reported) await refuseSending();
		await settle(store, tickets, found);
		const worker = await store.workspace.worker(record);
		const hasMailbox = worker?.delegate === id;
		// A result that nobody has read outlives the mailbox it lies in.
		if (hasMailbox && wasQueuedHere) await passOnResults(store, record, refuseSending);
		// Before its record: what is left without one is nothing that could be run.
		await tickets.remove(id);
		if (hasMailbox) await deleteWorker(store.workspace, record);
		// A swarm's worker that nobody has any more would be listed as another program's.
		for (const file of await copyOf(store, record)) await rm(file, { force: true });
		// With its record it is gone; the other files only take room.
		await rm(join(store.folder, `${id}.json`), { force: true });
		for (const file of filesOf(store.files(id))) await rm(file, { force: true });
		await sweepDeleted(store, tickets);
	});
}

/** The files of the swarm's worker that it was, unless another delegate or a run that lives is that worker too. */
async function copyOf(store: Delegates, { id, swarm }: DelegateRecord): Promise<string[]> {
	if (!swarm) return [];
	const { delegates } = await store.list();
	if (swarmFeatures(delegates.filter(({ record }) => record.id !== id)).has(swarm.feature)) return [];
	try {
		if (await liveSwarmRun(store.workspace.folder, swarm.feature)) return [];
		return filesOf(swarmFiles(store.workspace.folder, swarm.feature));
	} catch (error) {
		// Behind a link they are somebody else's, and no delegate has to stay for their sake.
		if (error instanceof NancyError && error.code === 'bad-file') return [];
		throw error;
	}
}

/** Removes what a kill has left of deleted delegates, and of those whose record vanished: with a folder that was cleaned, or moved. */
async function sweepDeleted(store: Delegates, tickets: Tickets): Promise<void> {
	const names = new Set(await entryNames(store.folder));
	for (const left of new Set([...names].flatMap(name => OWN_FILE.exec(name)?.[1] ?? []))) {
		if (names.has(`${left}.json`)) continue;
		const id = DelegateId.parse(left);
		const files = filesOf(store.files(id));
		const found = await Promise.all(files.map(file => stat(file).catch(() => undefined)));
		if (Date.now() - Math.max(...found.map(each => each?.mtimeMs ?? 0)) < ORPHAN_MS) continue;
		await tickets.remove(id);
		for (const file of files) await rm(file, { force: true });
	}
}

function filesOf({ status, output, done, log, prompt }: DelegateFiles): string[] {
	return [status, output, done, log, prompt];
}
