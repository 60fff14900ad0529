import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { PermissionMode } from '../../core/driver/headless.ts';
import { askMore, moreWords } from './askMore.ts';
import type { Selection } from './askSelection.ts';
import { agentsOf, misplaced, modelsIn, PLACES, runsOf, type DelegateChoice, type Place } from './delegateChoice.ts';
import type { AgentChoice } from '../ports.ts';
import { askChoice, askText, BackPressed, pickSeveral, type Choice } from '../kit/inputs.ts';
import { warn } from '../kit/messages.ts';

export interface Frame {
	title: string;
	step: number;
	totalSteps: number;
}

/** A selection that the prompt may get. The user can change that. */
export type OfferedSelection = Selection & { isTaken: boolean };

/** Shows the choice until the user starts it. Changes the choice, and whether the selection is taken, as the user says. */
export async function askHow(
	frame: Frame,
	choice: DelegateChoice,
	agents: readonly AgentChoice[],
	selection: OfferedSelection | undefined,
	workspace: string,
): Promise<void> {
	for (;;) {
		const { change } = await askChoice(frame, {
			items: summary(choice, agents, selection),
			active: undefined,
			placeholder: l10n.t('Start, or change how'),
		});
		if (change === 'start' && misplaced(choice, agents).length === 0) return;
		if (change === 'start') void warn(misplacedWords(choice, agents));
		else if (change === 'selection') toggle(selection);
		else if (change === 'more') await askMore(choice, workspace).catch(backToSummary);
		else await ask(change, choice, agents).catch(backToSummary);
	}
}

function toggle(selection: OfferedSelection | undefined): void {
	if (selection) selection.isTaken = !selection.isTaken;
}

type Change = 'start' | 'agents' | 'place' | 'permissions' | 'model' | 'selection' | 'more';

function summary(
	choice: DelegateChoice,
	agents: readonly AgentChoice[],
	selection: OfferedSelection | undefined,
): (Choice & { change: Change })[] {
	const chosen = agentsOf(choice, agents);
	const count = runsOf(choice, agents).length;
	const names = chosen.map(({ displayName }) => displayName).join(', ');
	const modes = chosen.map(agent => ({ agent: agent.displayName, mode: modeOf(agent, choice).label }));
	const isOneMode = new Set(modes.map(({ mode }) => mode)).size < 2;
	const modeWords = isOneMode
		? (modes[0]?.mode ?? '')
		: modes.map(({ agent, mode }) => `${agent}: ${mode}`).join(', ');
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
		{ icon: 'shield', label: l10n.t('Permissions'), description: modeWords, change: 'permissions' },
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

async function askMode(frame: Frame, agent: AgentChoice, choice: DelegateChoice): Promise<string> {
	const items = agent.permissionModes.map(mode => ({ label: mode.label, detail: mode.detail, mode }));
	const active = items.find(({ mode }) => mode.id === modeOf(agent, choice).id);
	const placeholder = l10n.t('What may {0} do unasked? Everything else is denied and reported.', agent.displayName);
	return (await askChoice(frame, { items, active, placeholder })).mode.id;
}

/** The chosen permission mode of an agent, or the agent's first. @throws NancyError `no-agent` if it has none */
export function modeOf(agent: AgentChoice, { permissions }: DelegateChoice): PermissionMode {
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
		'{0} runs only in the workspace folder, not in worktrees or folders below: it takes trust and hooks from there.',
		names.join(', '),
	);
}

function backToSummary(error: unknown): void {
	if (!(error instanceof BackPressed)) throw error;
}
