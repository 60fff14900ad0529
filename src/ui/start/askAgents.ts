import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { serverName } from '../../protocol/agentServer.ts';
import { agentSettings, SETTINGS } from '../contributions.ts';
import { askChoice, ignoreBack, pickSeveral, type Choice, type StepFrame } from '../kit/inputs.ts';
import { inform } from '../kit/messages.ts';
import { openTerminal } from '../kit/terminals.ts';
import type { AgentChoice } from '../ports.ts';
import { agentDetail, agentVersion } from '../tasks/agentWords.ts';
import { canBeChosen } from './startChoice.ts';

/** Asks for one agent or several. */
export async function askAgents(
	frame: StepFrame,
	agents: readonly AgentChoice[],
	chosen: readonly AgentChoice[],
): Promise<string[]> {
	const isOne = agents.filter(canBeChosen).length < 2;
	const several = { icon: 'list-selection', label: l10n.t('Several Agents…'), agent: undefined };
	const agent = await askOne(frame, agents, chosen[0], isOne ? [] : [several]);
	return agent ? [agent.id] : askSeveral(frame.title, agents, chosen);
}

/** Asks for exactly one. */
export async function askAgent(
	frame: StepFrame,
	agents: readonly AgentChoice[],
	chosen: AgentChoice | undefined,
): Promise<AgentChoice> {
	const agent = await askOne(frame, agents, chosen, []);
	if (agent) return agent;
	throw new vscode.CancellationError();
}

/**
 * An agent that is missing, too old or broken cannot be chosen: it is offered to be installed or found instead.
 * @returns `undefined` for one of the other rows
 */
async function askOne(
	frame: StepFrame,
	agents: readonly AgentChoice[],
	chosen: AgentChoice | undefined,
	others: readonly (Choice & { agent: undefined })[],
): Promise<AgentChoice | undefined> {
	for (;;) {
		const rows = agents.map(agentRow);
		const { agent } = await askChoice<Choice & { agent: AgentChoice | undefined }>(frame, {
			items: [...rows, ...others],
			active: rows.find(row => row.agent === chosen),
			placeholder: l10n.t('Which agent works on it?'),
		});
		if (!agent || canBeChosen(agent)) return agent;
		await askToInstall(frame, agent).catch(ignoreBack);
	}
}

function agentRow(agent: AgentChoice) {
	return {
		icon: canBeChosen(agent) ? 'robot' : 'circle-slash',
		label: agent.displayName,
		description: agentVersion(agent),
		detail: agentDetail(agent),
		agent,
	};
}

async function askSeveral(
	title: string,
	agents: readonly AgentChoice[],
	chosen: readonly AgentChoice[],
): Promise<string[]> {
	const rows = agents.filter(canBeChosen).map(agent => ({ ...agentRow(agent), picked: chosen.includes(agent) }));
	const question = l10n.t('Which agents? Each of them gets the same prompt.');
	const picked = await pickSeveral(title, question, rows);
	return (picked && picked.length > 0 ? picked.map(({ agent }) => agent) : chosen).map(({ id }) => id);
}

/**
 * What can be done about an agent that cannot be used. The command is only typed: the user reads it and presses Enter.
 * @throws CancellationError once the user goes on elsewhere. What was typed is kept as a draft
 */
async function askToInstall(frame: StepFrame, agent: AgentChoice): Promise<void> {
	const { displayName, installCommand, id } = agent;
	const install = { icon: 'terminal', label: l10n.t('Install in Terminal'), detail: installCommand, isInstall: true };
	const gear = { icon: 'settings-gear', isInstall: false };
	const path = { ...gear, label: l10n.t('Set Path'), detail: agentSettings(id).path };
	const entry = { ...gear, label: l10n.t('Open Setting'), detail: SETTINGS.agentServers };
	const { isInstall, detail: setting } = await askChoice(
		{ ...frame, title: displayName, step: 2 },
		{
			items: serverName(id) === undefined ? [...(installCommand === '' ? [] : [install]), path] : [entry],
			active: undefined,
			placeholder: agentDetail(agent),
		},
	);
	if (isInstall) {
		const terminal = openTerminal({ name: l10n.t('Install {0}', displayName) });
		terminal.show();
		terminal.sendText(installCommand, false);
		void inform(l10n.t('Press Enter in the terminal to install {0}. Your prompt is kept.', displayName));
	} else await vscode.commands.executeCommand('workbench.action.openSettings', setting);
	throw new vscode.CancellationError();
}
