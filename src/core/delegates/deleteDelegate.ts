import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theDelegate } from '../workspace/named.ts';
import { entryNames } from '../../base/listing.ts';
import { DelegateId, type DelegateRecord } from '../../protocol/delegate.ts';
import { Budgets } from '../budgets/budgets.ts';
import { SEALS } from '../mailbox/sealReader.ts';
import { deleteWorker } from '../sessions/deletion.ts';
import { settle } from './ending.ts';
import { isFinal, swarmFeatures, type Delegate } from './delegate.ts';
import type { Delegates } from './delegates.ts';
import type { DelegateFiles } from './files.ts';
import { passOnResults } from './report.ts';
import { reportable } from './reportable.ts';
import { swarmFiles } from './swarm.ts';
import { liveSwarmRun } from './swarmRun.ts';
import type { Tickets } from './tickets.ts';

/**
 * After this time without a write to its files, a delegate is neither being queued nor at work, and its answer has been read. In
 * milliseconds.
 */
const ORPHAN_MS = 7 * 24 * 60 * 60 * 1000;

/** A person's own files there stay. */
const OWN_FILE = /^(\d{8}t\d{9}z-[0-9a-f]{8})\.(?:status|output|done|log|prompt)$/;

/**
 * Deletes an ended delegate after its result has been sent: its files, those kept for a swarm, its mailbox and its ticket. Its worktree is
 * another matter. May be repeated after a kill; a missing one is no error. For a delegate that was never queued here nothing is sent.
 * @param refuseSending throws if nothing may be sent; asked only if something would be, and then everything stays
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
		if (!isFinal(delegate.state))
			throw new NancyError('busy', phrase`${theDelegate(id)} has not ended; stop it first`);
		const { record } = delegate;
		// Also if its files have changed. Only the record of a foreign one names its asker without the user.
		const wasQueuedHere = await tickets.has(id);
		if (wasQueuedHere && !delegate.status.reported) await refuseSending();
		await settle(store, tickets, found);
		const worker = await store.workspace.worker(record);
		const hasMailbox = worker?.delegate === id && (await isOwnMailbox(store, tickets, delegate));
		// An unread result outlives its mailbox.
		if (hasMailbox && wasQueuedHere) await passOnResults(store, record, refuseSending);
		// Before its record: leftovers without a record can never run.
		await tickets.remove(id);
		await new Budgets(store.workspace.own).set({ delegate: id }, undefined);
		if (hasMailbox) await deleteWorker(store.workspace, record);
		// A swarm's worker without an owner would be listed as another program's.
		for (const file of await copyOf(store, record)) await rm(file, { force: true });
		// With its record it is gone. The other files only take space.
		await rm(join(store.folder, `${id}.json`), { force: true });
		for (const file of filesOf(store.files(id))) await rm(file, { force: true });
		await sweepDeleted(store, tickets);
	});
}

/**
 * Whether a delegate's record names its own mailbox, and not another's. The ticket proves it. Without a ticket, anybody may have written
 * the record. So a mailbox that it names is the delegate's only if nothing in it is the user's.
 */
async function isOwnMailbox({ workspace }: Delegates, tickets: Tickets, delegate: Delegate): Promise<boolean> {
	const { record, isUnproved, isChanged } = delegate;
	if (isUnproved) return workspace.own.namesSync(SEALS, record.task, record.worker).length === 0;
	return !isChanged || (await tickets.facts(record.id))?.mailbox !== undefined;
}

/** The files of its swarm worker, unless another delegate or a living run is that worker too. */
async function copyOf(store: Delegates, { id, swarm }: DelegateRecord): Promise<string[]> {
	if (!swarm) return [];
	const { delegates } = await store.list();
	if (swarmFeatures(delegates.filter(({ record }) => record.id !== id)).has(swarm.feature)) return [];
	try {
		if (await liveSwarmRun(store.workspace.folder, swarm.feature)) return [];
		return filesOf(swarmFiles(store.workspace.folder, swarm.feature));
	} catch (error) {
		// Behind a link they are somebody else's, and do not keep a delegate from its deletion.
		if (hasCode(error, 'bad-file')) return [];
		throw error;
	}
}

/** Removes leftovers of killed deletions, and of delegates whose record vanished with a cleaned or moved folder. */
async function sweepDeleted(store: Delegates, tickets: Tickets): Promise<void> {
	const names = new Set(await entryNames(store.folder));
	for (const left of new Set([...names].flatMap(name => OWN_FILE.exec(name)?.[1] ?? []))) {
		if (names.has(`${left}.json`)) continue;
		const id = DelegateId.parse(left);
		// A missing record proves nothing: an agent can move it away, also that of a delegate at work.
		if (await tickets.has(id)) continue;
		const files = filesOf(store.files(id));
		const found = await Promise.all(files.map(file => stat(file).catch(() => undefined)));
		if (Date.now() - Math.max(...found.map(each => each?.mtimeMs ?? 0)) < ORPHAN_MS) continue;
		for (const file of files) await rm(file, { force: true });
	}
}

function filesOf({ status, output, done, log, prompt }: DelegateFiles): string[] {
	return [status, output, done, log, prompt];
}
