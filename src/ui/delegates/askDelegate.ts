import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { newMessageId } from '../../core/mailbox/messageId.ts';
import type { DelegateRequest } from '../../core/delegates/queueDelegate.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { DriverId } from '../../protocol/names.ts';
import { askHow, modeOf, type Frame } from './askHow.ts';
import { quotedSelection, selectionIn, type Selection } from './askSelection.ts';
import { LastChoice, placeAndLimits, runsOf, type DelegateChoice } from './delegateChoice.ts';
import type { AgentChoice, Folder } from '../ports.ts';
import { defaultAgent, delegateLimits } from '../settings.ts';
import { askText, ElsewherePressed, inOrder } from '../kit/inputs.ts';

/** The last choice, shared by all windows. */
const LAST = 'lastDelegate';

export interface DelegateOrder {
	folder: Folder;
	/** The worker that gets the result. Absent: the human does. */
	parent: WorkerAddress | undefined;
	/** Called from the editor, so the prompt is about the selection. */
	withSelection: boolean;
	/** The prompt is for those agents alone that could not be started at the last try. */
	again?: DelegateChoice;
}

/** The user wants to write the prompt in an editor. */
export class PromptNeedsEditor extends Error {
	/** @param text typed so far */
	constructor(readonly text: string) {
		super('the prompt is written in an editor');
	}
}

/**
 * Asks for a prompt, then offers the last choice, to start at once or to change it.
 * @param written a prompt from elsewhere. With one, the user is not asked for a prompt
 * @throws {PromptNeedsEditor}
 */
export async function askDelegate(
	{ folder, parent, withSelection, again }: DelegateOrder,
	written: string | undefined,
	all: readonly AgentChoice[],
	memory: vscode.Memento,
): Promise<{ requests: DelegateRequest[]; choice: DelegateChoice }> {
	const agents = all.filter(({ found, permissionModes }) => found && permissionModes.length > 0);
	if (agents.length === 0) throw new NancyError('no-agent', all.map(({ installHint }) => installHint).join(' '));
	const found = written === undefined ? selectionIn(folder) : undefined;
	const selection = found && { ...found, isTaken: withSelection };
	const choice = await firstChoice(folder, parent, agents, memory, again);
	let prompt = written ?? '';
	const totalSteps = written === undefined ? 2 : 1;
	const frame = (step: number): Frame => ({ title: l10n.t('Delegate'), step, totalSteps });
	const askFirst = async (step: number) => {
		prompt = await askPrompt(frame(step), prompt, withSelection ? selection : undefined);
	};
	const askThen = (step: number) => askHow(frame(step), choice, agents, selection, folder.path);
	await inOrder(written === undefined ? [askFirst, askThen] : [askThen]).catch((error: unknown) => {
		throw error instanceof ElsewherePressed ? new PromptNeedsEditor(error.text) : error;
	});
	if (!again) await memory.update(LAST, LastChoice.parse(choice));
	const context = selection?.isTaken ? `\n\n${quotedSelection(selection)}` : '';
	return { requests: requestsOf(choice, agents, `${prompt.trim()}${context}`, folder.path, parent), choice };
}

/** What is chosen before the user has changed anything. */
async function firstChoice(
	folder: Folder,
	parent: WorkerAddress | undefined,
	agents: readonly AgentChoice[],
	memory: vscode.Memento,
	again: DelegateChoice | undefined,
): Promise<DelegateChoice> {
	const { wallSeconds, idleSeconds } = delegateLimits(folder.path);
	const worker = parent && (await folder.workspace.worker(parent));
	return {
		...lastChoice(memory, agents, worker?.agent),
		models: '',
		within: '',
		wallMinutes: wallSeconds / 60,
		idleMinutes: idleSeconds / 60,
		...again,
	};
}

/** @param about the selection that the prompt is for */
function askPrompt(frame: Frame, typed: string, about: Selection | undefined): Promise<string> {
	return askText(frame, {
		value: typed,
		prompt: about
			? l10n.t('What is to be done with {0}?', about.where)
			: l10n.t('What is to be done? Another agent works on it beside everything else.'),
		placeholder: l10n.t('Write tests for the parser'),
		validate: value => (value.trim() === '' ? l10n.t('Say what is to be done.') : undefined),
		elsewhere: {
			iconPath: new vscode.ThemeIcon('edit'),
			tooltip: l10n.t('Write a longer prompt in an editor'),
		},
	});
}

/** One request for each agent or model. Several belong to one group. */
function requestsOf(
	choice: DelegateChoice,
	agents: readonly AgentChoice[],
	prompt: string,
	workspace: string,
	parent: WorkerAddress | undefined,
): DelegateRequest[] {
	const runs = runsOf(choice, agents);
	const group = choice.group ?? (runs.length > 1 ? newMessageId().toLowerCase() : undefined);
	return runs.map(({ agent, model }) => ({
		prompt,
		agent: agent.id,
		model,
		permissions: modeOf(agent, choice).id,
		...placeAndLimits(choice, workspace),
		parent,
		group,
	}));
}

/** @param ofParent the agent that gets the result. It is the default until the user chooses another */
function lastChoice(
	memory: vscode.Memento,
	agents: readonly AgentChoice[],
	ofParent: DriverId | undefined,
): LastChoice {
	const last = LastChoice.safeParse(memory.get(LAST)).data;
	const known = (last?.agents ?? []).filter(id => agents.some(agent => agent.id === id));
	const likely = [ofParent, defaultAgent()];
	const preferred = likely.map(id => agents.find(agent => agent.id === id)).find(agent => agent) ?? agents[0];
	return {
		agents: known.length > 0 ? known : preferred ? [preferred.id] : [],
		place: last?.place ?? 'folder',
		permissions: { ...last?.permissions },
	};
}
