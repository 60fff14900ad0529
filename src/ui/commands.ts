import type { Choices } from './choices.ts';
import type { CommandId } from './contributions.ts';
import { delegateHandlers, type DelegateCollaborators } from './delegates/delegateCommands.ts';
import { deskHandlers, type DeskCollaborators } from './desk/deskCommands.ts';
import { executorHandlers, type ExecutorCollaborators } from './executors/executorCommands.ts';
import { mailHandlers, type MailCollaborators } from './inbox/mailCommands.ts';
import { memoryHandlers, type MemoryCollaborators } from './memory/memoryCommands.ts';
import { needHandlers, type NeedCollaborators } from './needs/needCommands.ts';
import { questionHandlers } from './questions/questionCommands.ts';
import { setUpHandlers, type SetUpCollaborators } from './setUpCommands.ts';
import { taskHandlers, type TaskCollaborators } from './tasks/taskCommands.ts';
import { trafficHandlers, type TrafficCollaborators } from './traffic/trafficCommands.ts';

export interface Collaborators
	extends
		DelegateCollaborators,
		DeskCollaborators,
		ExecutorCollaborators,
		MailCollaborators,
		MemoryCollaborators,
		NeedCollaborators,
		SetUpCollaborators,
		TaskCollaborators,
		TrafficCollaborators {
	choices: Choices;
}

export type Handlers = Readonly<Record<CommandId, (args: readonly unknown[]) => Promise<void> | void>>;

/** What each command does. A command takes the tree item it was called from, or asks. */
export function commandHandlers(own: Collaborators): Handlers {
	return {
		...delegateHandlers(own),
		...deskHandlers(own),
		...executorHandlers(own),
		...mailHandlers(own),
		...memoryHandlers(own),
		...needHandlers(own),
		...questionHandlers(own),
		...setUpHandlers(own),
		...taskHandlers(own),
		...trafficHandlers(own),
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
