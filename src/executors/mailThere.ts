import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { hasCode } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { fileNames } from '../base/listing.ts';
import { realOr } from '../base/realPath.ts';
import { removeTree } from '../base/removeTree.ts';
import { sha256 } from '../base/sha256.ts';
import { allRecords, PlaceNote } from '../core/files/recordPlaces.ts';
import { holdingLock } from '../core/files/holdingLock.ts';
import { readJsonFile, writeJsonFile } from '../core/files/jsonFile.ts';
import type { Mailbox } from '../core/mailbox/mailbox.ts';
import type { MailboxListing } from '../core/mailbox/mailboxFiles.ts';
import { forgetSealedAgents } from '../core/sessions/sealedAgents.ts';
import { Workspace, type WorkerAddress } from '../core/workspace/workspace.ts';
import { formatMessage } from '../protocol/message.ts';
import { MessageId } from '../protocol/names.ts';
import type { RemoteLetter, RemoteReceipt, TakenBack } from '../protocol/remoteJob.ts';

/** A message that was carried: its id, and the hash of its words and its author. Its place in the queue here makes it no other message. */
export const LetterName = z.object({ id: MessageId, sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) });
type LetterName = z.infer<typeof LetterName>;

/** What went there under the id of a message. */
const Note = z.object({
	/** The words that have the id itself; absent if none came. */
	sha256: z.optional(z.string()),
	/** Later words, in the order in which they came first. */
	others: z._default(z.array(z.string()), []),
	/** It was taken back, and is not put again. */
	isBack: z._default(z.boolean(), false),
});
type Note = z.infer<typeof Note>;

export function letterName({ id, content, author }: RemoteLetter): LetterName {
	return { id, sha256: sha256(`${formatMessage({ ...content, order: undefined })}\0${JSON.stringify(author)}`) };
}

/**
 * On the other machine: puts messages into the mailbox of a job, as from their authors. A message that is or was there is not put again. If it
 * still waits there with other words, these are taken back. Nor is one that somebody wanted back.
 * @param folder of the job, which is the workspace of its agent
 */
export async function putThere(
	folder: string,
	address: WorkerAddress,
	letters: readonly RemoteLetter[],
): Promise<void> {
	const workspace = new Workspace(folder);
	await workspace.prepare();
	const mailbox = workspace.mailbox(address);
	// A step of a killed connection may go on beside its repeat.
	await holdingLock(lockOf(folder), async () => {
		for (const letter of letters) {
			const note = await noted(folder, letterName(letter));
			if (note.isBack) continue;
			const id = nameThere(note, letterName(letter));
			const standing = mailbox.standing(id)?.state;
			if (standing !== undefined && standing !== 'queued') continue;
			for (const other of namesThere(note, letter.id)) if (other !== id) await takeBack(mailbox, other);
			// A seal without a file is that of a step that was killed in between. Nobody seals a message of an unknown author.
			const { messages } = await mailbox.list();
			if (!messages.some(each => each.id === id)) await mailbox.put(letter.content, letter.author, id);
		}
	});
}

/**
 * On the other machine: takes a message back. The claim of its file there decides, so the agent gets it or it is back. It is not put again by a
 * step of a killed connection that comes late.
 */
export function takeBackThere(folder: string, address: WorkerAddress, id: MessageId): Promise<TakenBack> {
	const mailbox = new Workspace(folder).mailbox(address);
	return holdingLock(lockOf(folder), async () => {
		// A hook that died while it handed the message over keeps nobody from taking it back.
		await mailbox.recover();
		const note = await noteOf(folder, id);
		const ends = [];
		for (const name of namesThere(note, id)) ends.push(await takeBack(mailbox, name));
		const isBack = ends.at(-1)?.isBack ?? true;
		if (isBack) await writeNote(folder, id, { ...note, isBack });
		// Earlier words are not the message, but its agent has them.
		return { isBack, mayBeRead: ends.some(end => end.mayBeRead || !end.isBack) };
	});
}

async function takeBack(mailbox: Mailbox, id: MessageId): Promise<TakenBack> {
	try {
		return { isBack: true, ...(await mailbox.withdraw(id)) };
	} catch (error) {
		if (!hasCode(error, 'not-queued')) throw error;
		// Noted before it was put, and not put.
		const isThere =
			mailbox.standing(id) !== undefined || (await mailbox.list()).messages.some(each => each.id === id);
		return { isBack: !isThere, mayBeRead: isThere };
	}
}

/** On the other machine: which of these messages were taken back. */
export async function takenBackThere(folder: string, carried: readonly LetterName[]): Promise<MessageId[]> {
	const back: MessageId[] = [];
	for (const { id } of carried) if ((await noteOf(folder, id)).isBack) back.push(id);
	return back;
}

/** On the other machine: where the agent got the messages that it has got of these. */
export async function receiptsThere(
	folder: string,
	address: WorkerAddress,
	carried: readonly LetterName[],
): Promise<RemoteReceipt[]> {
	const { messages } = await new Workspace(folder).mailbox(address).list(['delivered', 'archived']);
	const names = new Map<MessageId, MessageId>();
	for (const each of carried) names.set(nameThere(await noteOf(folder, each.id), each), each.id);
	return messages.flatMap(message => receiptOf(message, names));
}

function receiptOf({ id, receipt }: MailboxListing['messages'][number], names: ReadonlyMap<MessageId, MessageId>) {
	const asked = names.get(id);
	if (asked === undefined || !receipt) return [];
	const { deliveredAt, event, session, tool } = receipt;
	return [{ id: asked, deliveredAt, event, session, ...(tool !== undefined && { tool }) }];
}

/** The note of a message that is to be put, with its words. Needs the lock. */
async function noted(folder: string, { id, sha256: hash }: LetterName): Promise<Note> {
	const note = await noteOf(folder, id);
	if (note.isBack || note.sha256 === hash || note.others.includes(hash)) return note;
	const more = note.sha256 === undefined ? { ...note, sha256: hash } : { ...note, others: [...note.others, hash] };
	await writeNote(folder, id, more);
	return more;
}

async function noteOf(folder: string, id: MessageId): Promise<Note> {
	return (await readJsonFile(noteFile(folder, id), Note)) ?? Note.parse({});
}

async function writeNote(folder: string, id: MessageId, note: Note): Promise<void> {
	await writeJsonFile(noteFile(folder, id), note);
}

function noteFile(folder: string, id: MessageId): string {
	return join(folder, 'letters', `${sha256(id)}.json`);
}

function lockOf(folder: string): string {
	return join(folder, 'letters.lock');
}

/**
 * The name of a message there: its own. After a kill here its file waits again, and somebody may change it by hand. With other words it is another
 * message there, because the agent may have read the first.
 */
function nameThere(note: Note, { id, sha256: hash }: LetterName): MessageId {
	return note.sha256 === undefined || note.sha256 === hash ? id : otherName(id, hash);
}

/** All names that a message has had there, the last one last. */
function namesThere({ sha256: first, others }: Note, id: MessageId): MessageId[] {
	return [...(first === undefined ? [] : [id]), ...others.map(hash => otherName(id, hash))];
}

function otherName(id: MessageId, hash: string): MessageId {
	return MessageId.parse(`${id.slice(0, 100)}-${hash.slice(0, 8)}`);
}

/** On the other machine: removes the records of a job's folder, and of those below, that are outside of it. */
export async function forgetRecordsThere(folder: string): Promise<void> {
	const { dataFolder } = new Workspace(folder).own;
	const all = allRecords(dataFolder);
	for (const name of await fileNames(all, '.json')) {
		const note = await readJsonFile(join(all, name), PlaceNote).catch(() => undefined);
		if (!note || !isInside(realOr(folder), note.folder)) continue;
		await removeTree(join(all, name.slice(0, -'.json'.length)));
		// Last: it tells whose the rest is.
		await rm(join(all, name), { force: true });
	}
	forgetSealedAgents(dataFolder);
}
