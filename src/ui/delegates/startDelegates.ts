import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { oneByOne } from '../../base/oneByOne.ts';
import type { DelegateRequest } from '../../core/delegates/queueDelegate.ts';
import type { DelegateOrder } from './askDelegate.ts';
import { choiceOfRest, type DelegateChoice } from './delegateChoice.ts';
import { sentence } from '../kit/failures.ts';
import { errorWords } from '../kit/translated.ts';
import type { AgentChoice, DelegateOperations } from '../ports.ts';
import type { PromptEditors } from '../start/promptEditors.ts';

export interface DelegateStart {
	order: DelegateOrder;
	requests: readonly DelegateRequest[];
	choice: DelegateChoice;
	agents: readonly AgentChoice[];
	/** The document with the prompt, unless the prompt was typed into a box. */
	document?: vscode.TextDocument | undefined;
}

/**
 * Starts the delegates. If some cannot be started, their prompt stays in an editor, with the choices for them.
 * @throws the error of the first that could not be started
 */
export async function startOrKeep(
	{ delegates, drafts }: { delegates: DelegateOperations; drafts: PromptEditors<DelegateOrder> },
	{ order, requests, choice, agents, document }: DelegateStart,
): Promise<void> {
	const { folder } = order;
	const { done: started, failures } = await oneByOne(requests, async request => {
		await delegates.start(folder, request);
		return request;
	});
	const unstarted = failures.map(({ item }) => item);
	const [first] = failures;
	if (!first) return folder.refresh();
	// The prompt is in a file of the user's own, and in no editor of Nancy's.
	if (started.length === 0 && document && !drafts.orderOf(document)) throw first.error;
	const again = choiceOfRest(choice, unstarted);
	await drafts.keep({ ...order, withSelection: false, again }, first.item.prompt, document);
	await folder.refresh();
	const why = sentence(errorWords(first.error));
	const names = (some: readonly DelegateRequest[]) => some.map(each => runName(each, agents)).join(', ');
	throw new NancyError(
		'io',
		started.length === 0
			? l10n.t('{0} “Delegate This” in the prompt’s editor tries that again.', why)
			: l10n.t(
					'{0} has been started, {1} has not: {2} “Delegate This” in the prompt’s editor tries that again.',
					names(started),
					names(unstarted),
					why,
				),
		{ cause: first.error },
	);
}

/** The agent's name, with the model if one is named. */
function runName({ agent, model }: DelegateRequest, agents: readonly AgentChoice[]): string {
	const name = agents.find(({ id }) => id === agent)?.displayName ?? agent;
	return model === undefined ? name : `${name} (${model})`;
}
