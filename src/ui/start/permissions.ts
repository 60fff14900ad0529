import { l10n } from 'vscode';
import { askChoice } from '../kit/inputs.ts';
import type { AgentChoice } from '../ports.ts';
import { agentsOf, type StartChoice } from './startChoice.ts';
import { rowFrame, type HubRow } from './startHub.ts';

/** What an agent may do unasked. Without an id, its own settings say that. */
export interface Mode {
	id: string | undefined;
	label: string;
	detail: string;
}

/** The modes that can be chosen for a task or a delegate. */
export interface Modes {
	/** The first counts until the user chooses another one. */
	of(agent: AgentChoice): readonly Mode[];
	question(agent: AgentChoice): string;
}

/** The modes of an agent in a terminal. */
export const modesInTerminal: Modes = {
	of: ({ launchModes }) => [
		{
			id: undefined,
			label: l10n.t('As its settings say'),
			detail: l10n.t('The agent’s own settings decide what it asks you for.'),
		},
		...launchModes,
	],
	question: ({ displayName }) => l10n.t('What may {0} do unasked? It asks you for everything else.', displayName),
};

/** `undefined` for an agent without any mode. */
export function modeOf(agent: AgentChoice, { permissions }: StartChoice, modes: Modes): Mode | undefined {
	const all = modes.of(agent);
	return all.find(({ id }) => id === permissions[agent.id]) ?? all[0];
}

/** Nothing if there is no choice for any of the agents. */
export function permissionsRow(
	title: string,
	choice: StartChoice,
	agents: readonly AgentChoice[],
	modes: Modes,
): HubRow[] {
	const chosen = agentsOf(choice, agents).filter(agent => modes.of(agent).length > 1);
	if (chosen.length === 0) return [];
	const words = chosen.map(agent => ({ agent: agent.displayName, mode: modeOf(agent, choice, modes)?.label ?? '' }));
	const isOneMode = new Set(words.map(({ mode }) => mode)).size < 2;
	return [
		{
			icon: 'shield',
			label: l10n.t('Permissions'),
			description: isOneMode
				? (words[0]?.mode ?? '')
				: words.map(({ agent, mode }) => `${agent}: ${mode}`).join(', '),
			async act() {
				for (const agent of chosen) await askMode(title, agent, choice, modes);
			},
		},
	];
}

async function askMode(title: string, agent: AgentChoice, choice: StartChoice, modes: Modes): Promise<void> {
	const items = modes.of(agent).map(mode => ({ label: mode.label, detail: mode.detail, mode }));
	const current = modeOf(agent, choice, modes);
	const active = items.find(({ mode }) => mode.id === current?.id);
	const { mode } = await askChoice(rowFrame(title), { items, active, placeholder: modes.question(agent) });
	const { [agent.id]: _before, ...others } = choice.permissions;
	choice.permissions = { ...others, ...(mode.id !== undefined && { [agent.id]: mode.id }) };
}
