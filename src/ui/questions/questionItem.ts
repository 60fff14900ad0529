import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { LiveQuestion } from '../../core/live/liveQuestions.ts';
import { isSameAddress, type WorkerAddress } from '../../core/workspace/workspace.ts';
import type { Folders } from '../folders.ts';
import type { Folder } from '../ports.ts';
import { whoIs } from '../who.ts';

/** What an agent asks. */
export class QuestionItem {
	constructor(
		readonly folder: Folder,
		readonly asked: LiveQuestion,
	) {}

	get key(): string {
		return `${this.folder.path}//:question/${this.asked.question.id}`;
	}
}

/** The questions that nobody has answered yet, in all folders, oldest first. None in Restricted Mode, where nothing is answered. */
export function openQuestions(folders: Pick<Folders, 'list'>): QuestionItem[] {
	if (!vscode.workspace.isTrusted) return [];
	return folders
		.list()
		.flatMap(folder =>
			folder
				.questions()
				.filter(({ answer }) => !answer)
				.map(asked => new QuestionItem(folder, asked)),
		)
		.toSorted((a, b) => (a.asked.question.id < b.asked.question.id ? -1 : 1));
}

/**
 * The question with which a worker waits: its oldest open one, or one that was answered since it waits. No event tells of a Yes at once.
 * @param since when it began to wait. UTC, ISO 8601
 */
export function questionOf(
	folder: Pick<Folder, 'questions'>,
	address: WorkerAddress,
	since: string,
): LiveQuestion | undefined {
	const own = folder.questions().filter(each => each.address && isSameAddress(each.address, address));
	return own.find(({ answer }) => !answer) ?? own.findLast(({ answer }) => answer && answer.at >= since);
}

/** Whose agent asks, as {@link whoIs} names workers. */
export function askingWorker({ folder, asked }: QuestionItem, agentName: (driver: string) => string): string {
	return asked.address ? whoIs(folder, asked.address) : agentName(asked.question.driver);
}

/** The same, with the subagent if one asks. */
export function whoAsks(item: QuestionItem, agentName: (driver: string) => string): string {
	const { subagent, subagentName } = item.asked.question;
	const worker = askingWorker(item, agentName);
	return subagent === undefined ? worker : l10n.t('{0}, subagent {1}', worker, subagentName ?? subagent);
}
