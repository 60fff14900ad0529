import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { newMessageId } from '../../core/mailbox/messageId.ts';
import type { DelegateRequest } from '../../core/delegates/queueDelegate.ts';
import type { PermissionMode } from '../../core/driver/headless.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { DriverId } from '../../protocol/names.ts';
import { askMore, moreWords } from './askMore.ts';
import { quotedSelection, selectionIn, type Selection } from './askSelection.ts';
import {
	agentsOf,
	LastChoice,
	misplaced,
	modelsIn,
	placeAndLimits,
	PLACES,
	runsOf,
	type DelegateChoice,
	type Place,
} from './delegateChoice.ts';
import type { AgentChoice, Folder } from '../ports.ts';
import { defaultAgent, delegateLimits } from '../settings.ts';
import { askChoice, askText, BackPressed, ElsewherePressed, inOrder, pickSeveral, type Choice } from '../kit/inputs.ts';
import { warn } from '../kit/messages.ts';

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
	const selection = written === undefined ? selectionIn(folder) : undefined;
	const { wallSeconds, idleSeconds } = delegateLimits(folder.path);
	const worker = parent && (await folder.workspace.worker(parent));
	const choice: DelegateChoice = {
		...lastChoice(memory, agents, worker?.agent),
		models: '',
		within: '',
		wallMinutes: wallSeconds / 60,
		idleMinutes: idleSeconds / 60,
		...again,
	};
	let isSelectionTaken = withSelection;
	let prompt = written ?? '';
	const totalSteps = written === undefined ? 2 : 1;
	const frame = (step: number) => ({ title: l10n.t('Delegate'), step, totalSteps });
	const askPrompt = async (step: number) => {
		prompt = await askText(frame(step), {
			value: prompt,
			prompt:
				withSelection && selection
					? l10n.t('What is to be done with {0}?', selection.where)
					: l10n.t('What is to be done? Another agent works on it beside everything else.'),
			placeholder: l10n.t('Write tests for the parser'),
			validate: value => (value.trim() === '' ? l10n.t('Say what is to be done.') : undefined),
			elsewhere: {
				iconPath: new vscode.ThemeIcon('edit'),
				tooltip: l10n.t('Write a longer prompt in an editor'),
			},
		});
	};
	const askHow = async (step: number) => {
		for (;;) {
			const { change } = await askChoice(frame(step), {
				items: summary(choice, agents, selection && { ...selection, isTaken: isSelectionTaken }),
				active: undefined,
				placeholder: l10n.t('Start, or change how'),
			});
			if (change === 'start' && misplaced(choice, agents).length === 0) return;
			if (change === 'start') void warn(misplacedWords(choice, agents));
			else if (change === 'selection') isSelectionTaken = !isSelectionTaken;
			else if (change === 'more') await askMore(choice, folder.path).catch(backToSummary);
			else await ask(change, choice, agents).catch(backToSummary);
		}
	};
	await inOrder(written === undefined ? [askPrompt, askHow] : [askHow]).catch((error: unknown) => {
		throw error instanceof ElsewherePressed ? new PromptNeedsEditor(error.text) : error;
	});
	if (!again) await memory.update(LAST, LastChoice.parse(choice));
	const context = isSelectionTaken && selection ? `\n\n${quotedSelection(selection)}` : '';
	const runs = runsOf(choice, agents);
	const group = choice.group ?? (runs.length > 1 ? newMessageId().toLowerCase() : undefined);
	const requests = runs.map(({ agent, model }) => ({
		prompt: `${prompt.trim()}${context}`,
		agent: agent.id,
		model,
		permissions: modeOf(agent, choice).id,
		...placeAndLimits(choice, folder.path),
		parent,
		group,
	}));
	return { requests, choice };
}

type Change = 'start' | 'agents' | 'place' | 'permissions' | 'model' | 'selection' | 'more';

function summary(
	choice: DelegateChoice,
	agents: readonly AgentChoice[],
	selection: (Selection & { isTaken: boolean }) | undefined,
): (Choice & { change: Change })[] {
	const chosen = agentsOf(choice, agents);
	const count = runsOf(choice, agents).length;
	const names = chosen.map(({ displayName }) => displayName).join(', ');
	const modes = new Set(chosen.map(agent => modeOf(agent, choice).label));
	const isMisplaced = misplaced(choice, agents).length > 0;
	return [
		{
			icon: 'play',
			label: count > 1 ? l10n.t('Start {0} Delegates', count) : l10n.t('Start Delegate'),
			change: 'start',
		},
		...(agents.length > 1
			? [{ icon: 'robot', label: l10n.t('Agent'), description: names, change: 'agents' as const }]
			: []),
		{
			icon: isMisplaced ? 'warning' : 'folder',
			label: l10n.t('Where'),
			description: placeWords(choice.place).label,
			...(isMisplaced && { detail: misplacedWords(choice, agents) }),
			change: 'place',
		},
		{ icon: 'shield', label: l10n.t('Permissions'), description: [...modes].join(', '), change: 'permissions' },
		...(chosen.length > 1
			? []
			: [
					{
						icon: 'symbol-misc',
						label: l10n.t('Model'),
						description:
							modelsIn(choice.models).join(', ') || chosen[0]?.model || l10n.t('the agent chooses'),
						change: 'model' as const,
					},
				]),
		...(selection
			? [
					{
						icon: selection.isTaken ? 'pass-filled' : 'circle-large-outline',
						label: l10n.t('With the selection'),
						description: selection.where,
						change: 'selection' as const,
					},
				]
			: []),
		{ icon: 'gear', label: l10n.t('More Options…'), description: moreWords(choice), change: 'more' },
	];
}

async function ask(
	what: Exclude<Change, 'start' | 'selection' | 'more'>,
	choice: DelegateChoice,
	agents: readonly AgentChoice[],
): Promise<void> {
	// The second step, so that the user can go back.
	const frame = { title: l10n.t('Delegate'), step: 2, totalSteps: 2 };
	const chosen = agentsOf(choice, agents);
	switch (what) {
		case 'agents':
			choice.agents = await askAgents(agents, chosen);
			return;
		case 'place': {
			const items = PLACES.map(place => ({ ...placeWords(place), place }));
			const active = items.find(({ place }) => place === choice.place);
			const placeholder = l10n.t('Where does it work?');
			choice.place = (await askChoice(frame, { items, active, placeholder })).place;
			return;
		}
		case 'permissions':
			for (const agent of chosen) choice.permissions[agent.id] = await askMode(frame, agent, choice);
			return;
		case 'model':
			choice.models = (
				await askText(frame, {
					value: choice.models,
					prompt: l10n.t(
						'The model, as the agent names it, or several with commas between them: each gets the same prompt. When empty, the one in its settings, or the agent chooses.',
					),
					placeholder: '',
					validate: () => undefined,
				})
			).trim();
			return;
	}
}

/** Several agents or models, to compare their answers to the same prompt. */
async function askAgents(agents: readonly AgentChoice[], chosen: readonly AgentChoice[]): Promise<string[]> {
	const rows = agents.map(agent => ({
		label: agent.displayName,
		description: agent.found?.version ?? '',
		picked: chosen.includes(agent),
		agent,
	}));
	const question = l10n.t('Which agents? Each of them gets the same prompt.');
	const picked = await pickSeveral(l10n.t('Delegate'), question, rows);
	return picked && picked.length > 0 ? picked.map(({ agent }) => agent.id) : chosen.map(({ id }) => id);
}

async function askMode(
	frame: { title: string; step: number; totalSteps: number },
	agent: AgentChoice,
	choice: DelegateChoice,
): Promise<string> {
	const items = agent.permissionModes.map(mode => ({ label: mode.label, detail: mode.detail, mode }));
	const active = items.find(({ mode }) => mode.id === modeOf(agent, choice).id);
	const placeholder = l10n.t('What may {0} do unasked? Everything else is denied and reported.', agent.displayName);
	return (await askChoice(frame, { items, active, placeholder })).mode.id;
}

function modeOf(agent: AgentChoice, { permissions }: DelegateChoice): PermissionMode {
	const mode = agent.permissionModes.find(({ id }) => id === permissions[agent.id]) ?? agent.permissionModes[0];
	if (mode) return mode;
	throw new NancyError('no-agent', l10n.t('{0} cannot run without a terminal.', agent.displayName));
}

function placeWords(place: Place): { label: string; detail: string } {
	switch (place) {
		case 'folder':
			return {
				label: l10n.t('This folder'),
				detail: l10n.t('It changes the files that you see.'),
			};
		case 'worktree':
			return {
				label: l10n.t('A worktree of its own'),
				detail: l10n.t('A new branch from the last commit, beside the repository. Review and merge it later.'),
			};
		case 'worktreeWithChanges':
			return {
				label: l10n.t('A worktree of its own, with uncommitted changes'),
				detail: l10n.t('The same, beginning with your files as they are now.'),
			};
	}
}

function misplacedWords(choice: DelegateChoice, agents: readonly AgentChoice[]): string {
	const names = misplaced(choice, agents).map(({ displayName }) => displayName);
	return l10n.t(
		'{0} can work in this folder itself alone, in no worktree and no folder below: it takes trust and hooks from there.',
		names.join(', '),
	);
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

function backToSummary(error: unknown): void {
	if (!(error instanceof BackPressed)) throw error;
}
