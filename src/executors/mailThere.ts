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
import { createJsonFile, readJsonFile } from '../core/files/jsonFile.ts';
import type { Mailbox } from '../core/mailbox/mailbox.ts';
import type { MailboxListing } from '../core/mailbox/mailboxFiles.ts';
import { forgetSealedAgents } from '../core/sessions/sealedAgents.ts';
import { Workspace, type WorkerAddress } from '../core/workspace/workspace.ts';
import { formatMessage } from '../protocol/message.ts';
import { MessageId } from '../protocol/names.ts';
import type { RemoteLetter, RemoteReceipt } from '../protocol/remoteJob.ts';

/** A message that was carried: its id, and the hash of its words and its author. Its place in the queue here makes it no other message. */
export const LetterName = z.object({ id: MessageId, sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) });
type LetterName = z.infer<typeof LetterName>;

const Note = z.object({ sha256: z.string() });

export function letterName({ id, content, author }: RemoteLetter): LetterName {
	return { id, sha256: sha256(`${formatMessage({ ...content, order: undefined })}\0${JSON.stringify(author)}`) };
}

/**
 * On the other machine: puts messages into the mailbox of a job, as from their authors. A message that is or was there is not put again. If it
 * still waits there with other words, these are taken back.
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
	await holdingLock(join(folder, 'letters.lock'), async () => {
		for (const letter of letters) {
			const id = await nameThere(folder, letterName(letter));
			if (id !== letter.id) await takeBack(mailbox, letter.id);
			const standing = mailbox.standing(id)?.state;
			if (standing !== undefined && standing !== 'queued') continue;
			// A seal without a file is that of a step that was killed in between. Nobody seals a message of an unknown author.
			const { messages } = await mailbox.list();
			if (!messages.some(each => each.id === id)) await mailbox.put(letter.content, letter.author, id);
		}
	});
}

async function takeBack(mailbox: Mailbox, id: MessageId): Promise<void> {
	try {
		await mailbox.withdraw(id);
	} catch (error) {
		if (!hasCode(error, 'not-queued')) throw error; // the agent may have read it
	}
}

/** On the other machine: where the agent got the messages that it has got of these. */
export async function receiptsThere(
	folder: string,
	address: WorkerAddress,
	carried: readonly LetterName[],
): Promise<RemoteReceipt[]> {
	const { messages } = await new Workspace(folder).mailbox(address).list(['delivered', 'archived']);
	const names = new Map<MessageId, MessageId>();
	for (const each of carried) names.set(await nameThere(folder, each), each.id);
	return messages.flatMap(message => receiptOf(message, names));
}

function receiptOf({ id, receipt }: MailboxListing['messages'][number], names: ReadonlyMap<MessageId, MessageId>) {
	const asked = names.get(id);
	if (asked === undefined || !receipt) return [];
	const { deliveredAt, event, session, tool } = receipt;
	return [{ id: asked, deliveredAt, event, session, ...(tool !== undefined && { tool }) }];
}

/**
 * The name of a message there: its own. After a kill here its file waits again, and somebody may change it by hand. With other words it is another
 * message there, because the agent may have read the first.
 */
async function nameThere(folder: string, { id, sha256: hash }: LetterName): Promise<MessageId> {
	const file = join(folder, 'letters', `${sha256(id)}.json`);
	await createJsonFile(file, { sha256: hash });
	const first = await readJsonFile(file, Note);
	return first?.sha256 === hash ? id : MessageId.parse(`${id.slice(0, 100)}-${hash.slice(0, 8)}`);
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
