import { l10n, QuickPickItemKind } from 'vscode';
import type { Executor } from '../../protocol/output/executors.ts';
import { askChoice, askText, ignoreBack, type Choice, type StepFrame } from '../kit/inputs.ts';
import type { AgentChoice } from '../ports.ts';
import { askAgents } from './askAgents.ts';
import {
	agentsOf,
	machineOf,
	misplaced,
	modelsIn,
	PLACES,
	takesModel,
	type Location,
	type Place,
	type StartChoice,
} from './startChoice.ts';

/** A row of the list from which everything is started. */
export interface HubRow extends Choice {
	/** Starts with what is chosen, or changes the choice. */
	act: () => 'start' | Promise<void> | void;
}

/** Shows the choice until the user starts with it. The first row starts, so that Enter alone does. */
export async function askHub(frame: StepFrame, rows: () => readonly HubRow[]): Promise<void> {
	for (;;) {
		const placeholder = l10n.t('Start, or change how');
		const { act } = await askChoice(frame, { items: rows(), active: undefined, placeholder });
		const done = act();
		if (done === 'start') return;
		await Promise.resolve(done).catch(ignoreBack);
	}
}

/** A question of a row: the second step, so that the user can go back. */
export function rowFrame(title: string): StepFrame {
	return { title, step: 2, totalSteps: 2 };
}

/** Several agents get the same prompt. */
export function agentRow(title: string, choice: StartChoice, agents: readonly AgentChoice[]): HubRow {
	const chosen = agentsOf(choice, agents);
	const names = chosen.map(({ displayName }) => displayName).join(', ');
	return {
		icon: 'robot',
		label: l10n.t('Agent'),
		description: names || l10n.t('none'),
		async act() {
			const before = choice.agents.join();
			choice.agents = await askAgents(rowFrame(title), agents, chosen);
			// Each CLI has its own names of models.
			if (choice.agents.join() !== before) choice.models = '';
		},
	};
}

/** Nothing for several agents: each has the model of its settings. */
export function modelRow(title: string, choice: StartChoice, agents: readonly AgentChoice[]): HubRow[] {
	const [only, ...others] = agentsOf(choice, agents);
	if (!only || others.length > 0 || !takesModel(only)) return [];
	const prompt = l10n.t(
		'The model, as the agent names it, or several with commas between them: each gets the same prompt. When empty, the one in its settings, or the agent chooses.',
	);
	return [
		{
			icon: 'symbol-misc',
			label: l10n.t('Model'),
			description: modelsIn(choice.models).join(', ') || only.model || l10n.t('the agent chooses'),
			async act() {
				const value = choice.models;
				const validate = () => undefined;
				choice.models = (await askText(rowFrame(title), { value, prompt, placeholder: '', validate })).trim();
			},
		},
	];
}

/** A machine of the user's settings. */
export type Machine = Pick<Executor, 'name' | 'id' | 'isolate'>;

/**
 * @param within the folder to work in, relative to the workspace folder
 * @param machines that it can be done on instead
 */
export function placeRow(
	title: string,
	choice: StartChoice & Location,
	agents: readonly AgentChoice[],
	within = '',
	machines: readonly Machine[] = [],
): HubRow {
	const isMisplaced = misplaced(choice, agents, within).length > 0;
	return {
		icon: isMisplaced ? 'warning' : 'folder',
		label: l10n.t('Where'),
		description: locationWords(choice, machines),
		...(isMisplaced && { detail: misplacedWords(choice, agents, within) }),
		async act() {
			const items = locations(machines);
			const on = machineOf(choice);
			const active = items.find(
				({ kind, ...each }) => kind === undefined && each.place === choice.place && each.on === on,
			);
			const placeholder = l10n.t('Where does it work?');
			const chosen = await askChoice(rowFrame(title), { items, active, placeholder });
			choice.place = chosen.place;
			choice.on = chosen.on;
		},
	};
}

/** This machine first. On another one there are only worktrees. */
function locations(machines: readonly Machine[]): (Choice & Location)[] {
	const heading = (label: string) => ({ kind: QuickPickItemKind.Separator, label, place: 'folder' as const });
	const here = PLACES.map(place => ({ ...placeWords(place), place }));
	const there = machines.flatMap(({ id }) => [
		heading(id),
		...PLACES.filter(place => place !== 'folder').map(place => ({
			label: locationWords({ place, on: id }, machines),
			detail:
				place === 'worktree'
					? l10n.t('A new branch from the last commit there. Review and merge it here later.')
					: placeWords(place).detail,
			place,
			on: id,
		})),
	]);
	return machines.length === 0 ? here : [heading(l10n.t('This machine')), ...here, ...there];
}

function locationWords(location: Location, machines: readonly Machine[]): string {
	const { label } = placeWords(location.place);
	const on = machineOf(location);
	return on === undefined ? label : `${machines.find(({ id }) => id === on)?.name ?? on} · ${label}`;
}

export function placeWords(place: Place): { label: string; detail: string } {
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

export function misplacedWords(choice: StartChoice, agents: readonly AgentChoice[], within = ''): string {
	const names = misplaced(choice, agents, within).map(({ displayName }) => displayName);
	return l10n.t(
		'{0} runs only in the workspace folder, not in worktrees or folders below: it takes trust and hooks from there.',
		names.join(', '),
	);
}
