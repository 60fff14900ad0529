import { l10n } from 'vscode';
import { newMessageId } from '../../core/mailbox/messageId.ts';
import type { DelegateRequest } from '../../core/delegates/queueDelegate.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { DriverId } from '../../protocol/names.ts';
import { askHow, permissionsOf, type HowToDelegate } from './askHow.ts';
import { placeAndLimits, type DelegateChoice } from './delegateChoice.ts';
import type { AgentChoice, Folder, IsolationHere } from '../ports.ts';
import { defaultAgent, delegateLimits } from '../settings.ts';
import { inOrder, type StepFrame } from '../kit/inputs.ts';
import { askPrompt, specificationIn, type OfferedSelection, type PromptQuestion } from '../start/askPrompt.ts';
import { quotedSelection, selectionIn } from '../start/askSelection.ts';
import type { Presets } from '../start/presets.ts';
import { canBeChosen, runsOf, type StartChoice } from '../start/startChoice.ts';
import type { Machine } from '../start/startHub.ts';
import type { StartMemory } from '../start/startMemory.ts';

export interface DelegateOrder {
	folder: Folder;
	/** The worker that gets the result. Absent: the human does. */
	parent: WorkerAddress | undefined;
	/** Called from the editor, so the prompt is about the selection. */
	withSelection: boolean;
	/** The prompt is for those agents alone that could not be started at the last try. */
	again?: DelegateChoice;
}

export interface DelegateQuestion {
	order: DelegateOrder;
	/** A prompt from elsewhere. With one, the user is not asked for a prompt. */
	written: string | undefined;
	agents: readonly AgentChoice[];
	machines: readonly Machine[];
	isolation: IsolationHere;
	memory: StartMemory;
	presets: Presets;
}

/**
 * Asks for a prompt, then offers the last choice, to start at once or to change it.
 * @throws {PromptNeedsEditor}
 */
export async function askDelegate({
	order,
	written,
	agents: all,
	machines,
	isolation,
	memory,
	presets,
}: DelegateQuestion): Promise<{ requests: DelegateRequest[]; choice: DelegateChoice }> {
	const { folder, parent, withSelection, again } = order;
	const agents = all.filter(({ permissionModes }) => permissionModes.length > 0);
	const found = written === undefined ? selectionIn(folder) : undefined;
	const selection = found && { ...found, isTaken: withSelection };
	const choice = await firstChoice(folder, parent, agents, memory, again);
	let prompt = written ?? '';
	const totalSteps = written === undefined ? 2 : 1;
	const frame = (step: number): StepFrame => ({ title: l10n.t('Delegate'), step, totalSteps });
	const askFirst = async (step: number) => {
		prompt = (await askPrompt(frame(step), questionOf(order, prompt, selection), memory)).prompt;
	};
	const how = { choice, agents, machines, isolation, presets, selection, workspace: folder.path };
	const askThen = (step: number) => askHow(frame(step), how);
	await inOrder(written === undefined ? [askFirst, askThen] : [askThen]);
	if (!again) await memory.remember('delegate', choice);
	const context = selection?.isTaken ? `\n\n${quotedSelection(selection)}` : '';
	return { requests: requestsOf(how, `${prompt.trim()}${context}`, parent), choice };
}

/** Where the prompt of this order is kept until it has started: see {@link StartMemory.draft}. */
export function draftOf({ folder, parent }: DelegateOrder): string {
	return ['delegate', folder.path, ...(parent ? [parent.task, parent.worker] : [])].join(' ');
}

/** @param typed in this box before the user came back to it */
function questionOf(order: DelegateOrder, typed: string, selection: OfferedSelection | undefined): PromptQuestion {
	return {
		typed,
		prompt:
			order.withSelection && selection
				? l10n.t('What is to be done with {0}?', selection.where)
				: l10n.t('What is to be done? Another agent works on it beside everything else.'),
		placeholder: l10n.t('Write tests for the parser'),
		mayBeEmpty: false,
		isDirect: false,
		draft: draftOf(order),
		selection,
		specification: specificationIn(order.folder),
	};
}

/** What is chosen before the user has changed anything. */
async function firstChoice(
	folder: Folder,
	parent: WorkerAddress | undefined,
	agents: readonly AgentChoice[],
	memory: StartMemory,
	again: DelegateChoice | undefined,
): Promise<DelegateChoice> {
	const { wallSeconds, idleSeconds } = delegateLimits();
	const worker = parent && (await folder.workspace.worker(parent));
	return {
		...lastChoice(memory, agents, worker?.agent),
		within: '',
		wallMinutes: wallSeconds / 60,
		idleMinutes: idleSeconds / 60,
		...again,
	};
}

/** One request for each agent or model. Several belong to one group. */
function requestsOf(how: HowToDelegate, prompt: string, parent: WorkerAddress | undefined): DelegateRequest[] {
	const { choice, agents, workspace } = how;
	const runs = runsOf(choice, agents);
	const group = choice.group ?? (runs.length > 1 ? newMessageId().toLowerCase() : undefined);
	return runs.map(({ agent, model }) => ({
		prompt,
		agent: agent.id,
		model,
		permissions: permissionsOf(agent, how),
		...placeAndLimits(choice, workspace),
		parent,
		group,
	}));
}

/** @param ofParent the agent that gets the result. It is the default until the user chooses another */
function lastChoice(memory: StartMemory, agents: readonly AgentChoice[], ofParent: DriverId | undefined): StartChoice {
	const last = memory.last('delegate');
	const found = agents.filter(canBeChosen);
	const known = (last?.agents ?? []).filter(id => found.some(agent => agent.id === id));
	const likely = [ofParent, defaultAgent()];
	const preferred = likely.map(id => found.find(agent => agent.id === id)).find(agent => agent) ?? found[0];
	return {
		agents: known.length > 0 ? known : preferred ? [preferred.id] : [],
		models: '',
		place: last?.place ?? 'folder',
		permissions: { ...last?.permissions },
	};
}
