import { basename } from 'node:path';
import { errorText } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { folderId } from '../core/live/deskView.ts';
import { LiveQuestions } from '../core/live/liveQuestions.ts';
import { drivers } from '../drivers/index.ts';
import type { OperationContext } from '../operations/operation.ts';
import { openModel } from '../operations/shared/currentOverview.ts';
import { deskRules } from '../operations/shared/deskRules.ts';
import { ticketsOf } from '../operations/shared/ticketsOf.ts';
import type { ServedFolder } from './servedFolder.ts';

/** A workspace that a program without a window serves. */
export interface ProgramFolder extends ServedFolder {
	readonly onDidChange: Event<void>;
	close(): Promise<void>;
}

/** Looks at the workspace of a program, live. The caller closes it. */
export async function programFolder(context: OperationContext): Promise<ProgramFolder> {
	const { workspace, env } = context;
	const model = await openModel(workspace, env, { tickets: ticketsOf(context) });
	const rules = deskRules(context);
	const fail = (error: unknown) => context.note(errorText(error));
	const questions = new LiveQuestions(workspace, { readOnly: false, drivers, rules, fail });
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
