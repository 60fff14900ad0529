import type * as vscode from 'vscode';
import { Choices } from './choices.ts';
import { REMOVING_COMMANDS, VIEWS } from './contributions.ts';
import { DelegatesView } from './delegates/delegatesView.ts';
import { decorateChanges } from './delegates/changedFiles.ts';
import { KnownChanges } from './delegates/knownChanges.ts';
import type { Failures } from './kit/failures.ts';
import { InboxView } from './inbox/inboxView.ts';
import type { memoryPart } from './memory/memoryPart.ts';
import type { Nancy, TreePart } from './nancy.ts';
import { KeyRows } from './kit/keyRows.ts';
import { keepingFocus, type ShownTree } from './kit/keepingFocus.ts';
import { QuestionsView } from './questions/questionsView.ts';
import { maximumSessions } from './settings.ts';
import { TasksView } from './tasks/tasksView.ts';
import { TrafficView } from './traffic/trafficView.ts';
import type { Frame } from './windowFrame.ts';

/** The lists of the side bar and the panel, but for memory. */
export function listParts({ parts, own, folders }: Frame) {
	const { context, views, operations, agentName, agentShortName } = parts;
	const choices = new Choices(context.workspaceState);
	const changes = own.add(new KnownChanges((folder, of) => operations.worktrees.changes(folder, of)));
	own.add(decorateChanges());
	const forHover = { agent: agentName, mode: parts.modeName };
	const delegates = own.add(new DelegatesView(folders, views.delegates, forHover, changes));
	const names = { full: agentName, short: agentShortName };
	return {
		choices,
		changes,
		delegates,
		tasks: own.add(new TasksView(folders, views.tasks, choices, names, delegates, changes, parts.canFork)),
		inbox: own.add(new InboxView(folders, operations, views.inbox, parts.limitOf, choices)),
		traffic: own.add(new TrafficView(folders, views.traffic, maximumSessions, context.globalState)),
		asked: own.add(new QuestionsView(folders, views.questions, agentName)),
	};
}

export type Lists = ReturnType<typeof listParts>;
type Memory = ReturnType<typeof memoryPart>;

export function treesOf({ asked, tasks, delegates, inbox, traffic }: Lists, memory: Memory, failures: Failures) {
	return {
		questions: treePart(asked),
		tasks: treePart(tasks),
		delegates: treePart(delegates),
		inbox: {
			provider: inbox,
			drag: (source, data) => inbox.drag(source, data),
			drop: (target, data) => failures.guard(() => inbox.drop(target, data)),
		},
		memory: treePart(memory.view),
		traffic: treePart(traffic),
	} satisfies Partial<Nancy>;
}

/** A command by a menu, a key or the palette. The focus stays where it was if it takes its row away. */
export function actedOn(
	{ parts: { views, failures }, own, run }: Frame,
	{ asked, tasks, delegates, inbox }: Lists,
	memory: Memory,
): Nancy['run'] {
	const keyRows = new Map<unknown, KeyRows>(
		(['tasks', 'delegates', 'inbox', 'memory'] as const).map(view => [
			VIEWS[view],
			own.add(new KeyRows(views[view])),
		]),
	);
	const trees: readonly ShownTree[] = [
		[views.questions, asked],
		[views.tasks, tasks],
		[views.delegates, delegates],
		[views.inbox, inbox],
		[views.memory, memory.view],
	];
	return async (command, args) => {
		for (const each of args.length > 0 ? [tasks, delegates] : []) each.touch();
		// A key in package.json names its view.
		const pressed = keyRows.get(args[0])?.take();
		// A key without a row means nothing.
		if (pressed && pressed[0] === undefined) return;
		const rows = pressed ?? args;
		return failures.guard(() =>
			REMOVING_COMMANDS.has(command)
				? keepingFocus(trees, rows[0], () => run(command, rows))
				: run(command, rows),
		);
	};
}

function treePart(provider: vscode.TreeDataProvider<unknown>): TreePart {
	return { provider, drag: () => undefined, drop: async () => undefined };
}
