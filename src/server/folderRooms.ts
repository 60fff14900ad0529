import type * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { busyIn, worktreeOf } from '../core/delegates/inWorktree.ts';
import { remarksMessage, remarksText } from '../core/delegates/remarks.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { MessageReply, MessageRequest } from '../protocol/deskApi.ts';
import {
	MOST_FILES,
	type ChangesQuery,
	type ChangesReply,
	type DiffQuery,
	type DiffReply,
	type RemarksRequest,
} from '../protocol/deskRooms.ts';
import type { FolderId } from '../protocol/deskState.ts';
import type { Worktree } from '../protocol/worktree.ts';
import type { Done, ServedRooms } from './served.ts';
import { at, type ServedFolder } from './servedFolders.ts';

/** Nothing that is only looked at says who looks. */
const LOOKING = at('');

/** In UTF-16 units, of a diff. */
const LONGEST_DIFF = 200_000;

/** Looks that wait for their turn. */
const MOST_WAITING = 8;

/** The rooms of the desk that are seldom looked at. */
export class FolderRooms implements ServedRooms {
	private waiting = 0;
	private turn: Promise<unknown> = Promise.resolve();

	/**
	 * @param inFolder finds a folder, and makes data of a failure
	 * @param safe makes a text safe to show on a page
	 */
	constructor(
		private readonly inFolder: <T>(id: FolderId, act: (folder: ServedFolder) => Promise<T>) => Promise<Done<T>>,
		private readonly send: (device: string, request: MessageRequest) => Promise<Done<MessageReply>>,
		private readonly safe: (text: string) => string,
	) {}

	changes({ folder: id, delegate }: z.infer<typeof ChangesQuery>): Promise<Done<ChangesReply>> {
		return this.inTurn(id, async folder => {
			const worktree = worktreeIn(folder, delegate);
			const found = await perform(await operations.worktreeChanges(), LOOKING, { worktree }, folder.context);
			const files = found.files.slice(0, MOST_FILES).map(({ path, before, status, lines }) => ({
				path: this.safe(path),
				...(before !== undefined && { before: this.safe(before) }),
				status,
				...(lines && { lines }),
			}));
			return { ...found, files, more: found.files.length - files.length };
		});
	}

	diff({ folder: id, delegate, path }: z.infer<typeof DiffQuery>): Promise<Done<DiffReply>> {
		return this.inTurn(id, async folder => {
			const input = { worktree: worktreeIn(folder, delegate), path };
			const { lines, isTooLarge } = await perform(
				await operations.worktreeDiff(),
				LOOKING,
				input,
				folder.context,
			);
			if (!lines && !isTooLarge) throw new NancyError('bad-file', phrase`this file is not among the changes`);
			const text = this.safe((lines ?? []).join('\n'));
			return { path, text: text.slice(0, LONGEST_DIFF), isCut: isTooLarge || text.length > LONGEST_DIFF };
		});
	}

	stop(device: string, delegate: DelegateId, id: FolderId) {
		return this.inFolder(id, async ({ context, refresh }) => {
			await perform(await operations.stopDelegate(), at(device), { id: delegate }, context);
			await refresh();
			return {};
		});
	}

	async remark(device: string, id: DelegateId, { folder, remarks, nonce }: RemarksRequest) {
		const reader = await this.inFolder(folder, async served => {
			const busy = busyIn(worktreeIn(served, id), served.source.delegates());
			if (busy) return busy.record;
			throw new NancyError(
				'wrong-state',
				phrase`The delegate has ended. "Send Back" in VS Code starts it again with your comments.`,
			);
		});
		if (!reader.ok) return reader;
		const { task, worker } = reader.value;
		const text = remarksMessage(remarksText(remarks.map(({ path, line, text: words }) => ({ file: path, line, text: words }))));
		return this.send(device, { folder, task, worker, kind: 'feedback', text, nonce });
	}

	/** One after the other: each starts programs. */
	private inTurn<T>(id: FolderId, look: (folder: ServedFolder) => Promise<T>): Promise<Done<T>> {
		if (this.waiting >= MOST_WAITING)
			return Promise.resolve({ ok: false, code: 'busy', message: 'Too much is looked at right now. Try again.' });
		this.waiting++;
		const looked = this.turn.then(() => this.inFolder(id, look)).finally(() => this.waiting--);
		this.turn = looked.catch(() => undefined);
		return looked;
	}
}

/** @throws NancyError if there is no such delegate, or it has no worktree */
function worktreeIn({ source }: ServedFolder, id: DelegateId): Worktree {
	const all = source.delegates();
	const delegate = all.find(({ record }) => record.id === id);
	if (!delegate) throw new NancyError('no-task', phrase`There is no such delegate.`);
	const worktree = worktreeOf(delegate, all);
	if (worktree) return worktree;
	throw new NancyError('bad-usage', phrase`This delegate works in the folder itself, so its changes are not apart.`);
}
