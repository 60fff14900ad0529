import type * as vscode from 'vscode';
import { oneByOne } from '../../base/oneByOne.ts';
import type { DelegateRequest } from '../../core/delegates/queueDelegate.ts';
import { draftOf, type DelegateOrder } from './askDelegate.ts';
import type { DelegateChoice } from './delegateChoice.ts';
import type { AgentChoice, DelegateOperations } from '../ports.ts';
import { notStarted, runName } from '../start/notStarted.ts';
import type { PromptEditors } from '../start/promptEditors.ts';
import { choiceOfRest } from '../start/startChoice.ts';
import type { StartMemory } from '../start/startMemory.ts';

export interface DelegateStart {
	order: DelegateOrder;
	requests: readonly DelegateRequest[];
	choice: DelegateChoice;
	agents: readonly AgentChoice[];
	/** The document with the prompt, unless the prompt was typed into a box. */
	document?: vscode.TextDocument | undefined;
}

/**
 * Starts the delegates. If some cannot be started, their prompt stays in an editor, with the choices for them. What was typed into a box
 * is no draft any more.
 * @throws an error that names all that could not be started
 */
export async function startOrKeep(
	{
		delegates,
		drafts,
		memory,
	}: { delegates: DelegateOperations; drafts: PromptEditors<DelegateOrder>; memory: StartMemory },
	{ order, requests, choice, agents, document }: DelegateStart,
): Promise<void> {
	const { folder } = order;
	const { done: started, failures } = await oneByOne(requests, async request => {
		await delegates.start(folder, request);
		return request;
	});
	const [first] = failures;
	// The prompt is in a file of the user's own, and in no editor of Nancy's.
	if (first && started.length === 0 && document && !drafts.orderOf(document)) throw first.error;
	if (first) {
		const unstarted = failures.map(({ item }) => item);
		const again = { ...choiceOfRest(choice, unstarted), group: first.item.group };
		await drafts.keep({ ...order, withSelection: false, again }, first.item.prompt, document);
	}
	if (!document) await memory.keepDraft(draftOf(order), '');
	await folder.refresh();
	if (!first) return;
	const nameOf = ({ agent, model }: DelegateRequest) =>
		runName(agents.find(({ id }) => id === agent)?.displayName ?? agent, model);
	throw notStarted({
		started: started.map(nameOf),
		failures: failures.map(({ item, error }) => ({ name: nameOf(item), error })),
		again: drafts.command.title,
	});
}
