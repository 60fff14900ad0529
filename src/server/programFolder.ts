import { Emitter } from '../base/event.ts';
import { LiveQuestions } from '../core/live/liveQuestions.ts';
import type { OperationContext } from '../operations/operation.ts';
import { openModel } from '../operations/shared/currentOverview.ts';
import { ticketsOf } from '../operations/shared/ticketsOf.ts';
import { folderId, type ServedFolder } from './servedFolders.ts';
import { basename } from 'node:path';
import type { Event } from '../base/event.ts';

/** A workspace that a program without a window serves. */
export interface ProgramFolder extends ServedFolder {
	readonly onDidChange: Event<void>;
	close(): Promise<void>;
}

/** Looks at the workspace of a program, live. The caller closes it. */
export async function programFolder(context: OperationContext): Promise<ProgramFolder> {
	const { workspace, env } = context;
	const model = await openModel(workspace, env, { tickets: ticketsOf(context) });
	const questions = new LiveQuestions(workspace, { readOnly: false, fail: error => context.note(String(error)) });
	const changed = new Emitter<void>();
	questions.onDidChange(() => changed.fire());
	model.onDidChange(() => {
		questions.seeEvents();
		changed.fire();
	});
	const refresh = async () => {
		await Promise.all([questions.refresh(), model.refresh()]);
	};
	await refresh();
	return {
		source: {
			id: folderId(workspace.folder),
			name: basename(workspace.folder),
			overview: () => model.overview(),
			messages: address => model.messages(address),
			delegates: () => model.delegates(),
			questions: () => [...questions.all(), ...questions.past()],
		},
		context,
		refresh,
		onDidChange: changed.event,
		close: async () => {
			questions.dispose();
			changed.dispose();
			await model.close();
		},
	};
}
