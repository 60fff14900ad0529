import type { Event } from '../base/event.ts';
import { replyOf } from '../core/questions/reply.ts';
import { Questions } from '../core/questions/questions.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import { failureOf } from '../operations/shared/failure.ts';
import type { AnswerReply, AnswerRequest, MessageReply, MessageRequest } from '../protocol/deskApi.ts';
import type { FolderId } from '../protocol/deskState.ts';
import type { QuestionId } from '../protocol/question.ts';
import { deskWords } from './deskWords.ts';
import { FolderRooms } from './folderRooms.ts';
import { at, type ServedFolder } from './servedFolder.ts';
import type { Done, Served, ServedRooms } from './served.ts';

/** Folders as the desk's server serves them: the live model to look at, and the operations to act, as the person at the device. */
export class ServedFolders implements Served {
	readonly words;
	readonly rooms: ServedRooms;

	/** @param dataFolder the user's, which no page hears of */
	constructor(
		private readonly folders: () => readonly ServedFolder[],
		readonly onDidChange: Event<void>,
		dataFolder: string,
	) {
		this.words = deskWords(dataFolder);
		this.rooms = new FolderRooms(
			(id, act) => this.in(id, act),
			(device, message) => this.send(device, message),
			this.words,
		);
	}

	sources() {
		return this.folders().map(({ source }) => source);
	}

	answer(device: string, id: QuestionId, request: AnswerRequest): Promise<Done<AnswerReply>> {
		return this.in(request.folder, async ({ context, refresh }) => {
			const { question } = await new Questions(context.workspace.own).get(id);
			const reply = replyOf(question, request);
			const input = { question: id, digest: request.digest, reply };
			const { answer } = await perform(await operations.answerQuestion(), at(device), input, context);
			await refresh();
			return { question: id, effect: answer.effect, at: answer.at };
		});
	}

	send(device: string, { folder, task, worker, kind, text }: MessageRequest): Promise<Done<MessageReply>> {
		return this.in(folder, async ({ context, refresh }) => {
			const input = { to: { task, worker }, kind, text, priority: 'normal', effect: 'none' } as const;
			const { id, running, held } = await perform(await operations.send(), at(device), input, context);
			await refresh();
			return { id, running, ...(held !== undefined && { held: this.words.withoutPaths(held) }) };
		});
	}

	private async in<T>(id: FolderId, act: (folder: ServedFolder) => Promise<T>): Promise<Done<T>> {
		const folder = this.folders().find(({ source }) => source.id === id);
		if (!folder) return { ok: false, code: 'no-folder', message: 'This folder is not open any more.' };
		try {
			return { ok: true, value: await act(folder) };
		} catch (error) {
			const { code, message } = failureOf(error);
			return { ok: false, code, message: this.words.withoutPaths(String(message)) };
		}
	}
}
