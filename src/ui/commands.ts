import * as vscode from 'vscode';
import type { Choices } from './choices.ts';
import { VIEWS, type CommandId } from './contributions.ts';
import { delegateHandlers, type DelegateCollaborators } from './delegates/delegateCommands.ts';
import { mailHandlers, type MailCollaborators } from './inbox/mailCommands.ts';
import { needsOf } from './needs.ts';
import { setUpHandlers, type SetUpCollaborators } from './setUpCommands.ts';
import { taskHandlers, type TaskCollaborators } from './tasks/taskCommands.ts';
import { WorkerItem } from './tasks/tasksView.ts';
import { trafficHandlers, type TrafficCollaborators } from './traffic/trafficCommands.ts';

export interface Collaborators
	extends DelegateCollaborators, MailCollaborators, SetUpCollaborators, TaskCollaborators, TrafficCollaborators {
	choices: Choices;
}

export type Handlers = Readonly<Record<CommandId, (args: readonly unknown[]) => Promise<void> | void>>;

/** What each command does. A command takes the tree item it was called from, or asks. */
export function commandHandlers(own: Collaborators): Handlers {
	return {
		...delegateHandlers(own),
		...mailHandlers(own),
		...setUpHandlers(own),
		...taskHandlers(own),
		...trafficHandlers(own),
		'nancy.showAttention': () => showAttention(own),
		'nancy.showArchived': () => own.choices.choose({ showsArchived: true }),
		'nancy.hideArchived': () => own.choices.choose({ showsArchived: false }),
		'nancy.hideEnded': () => own.choices.choose({ hidesEnded: true }),
		'nancy.showEnded': () => own.choices.choose({ hidesEnded: false }),
		'nancy.groupTasks': () => own.choices.choose({ isGrouped: true }),
		'nancy.listTasks': () => own.choices.choose({ isGrouped: false }),
		'nancy.sortTasksByName': () => own.choices.choose({ sort: 'name' }),
		'nancy.sortTasksByAge': () => own.choices.choose({ sort: 'newest' }),
	};
}

/** The terminal of the first worker that waits for an answer, or the inbox if none waits. */
async function showAttention({ folders, terminals }: Collaborators): Promise<void> {
	const [first] = needsOf(folders).waiting;
	if (first) await terminals.focus(new WorkerItem(first.folder, first.task, first.worker));
	else await vscode.commands.executeCommand(`${VIEWS.inbox}.focus`);
}
