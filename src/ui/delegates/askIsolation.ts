import { l10n } from 'vscode';
import { IsolationChoice } from '../../protocol/isolation.ts';
import { askChoice } from '../kit/inputs.ts';
import type { AgentChoice, IsolationHere } from '../ports.ts';
import { agentsOf, machineOf } from '../start/startChoice.ts';
import { rowFrame, type HubRow, type Machine } from '../start/startHub.ts';
import type { DelegateChoice } from './delegateChoice.ts';

/** A choice, and what its isolation depends on. */
export interface Isolating {
	choice: DelegateChoice;
	agents: readonly AgentChoice[];
	/** Those of the user's settings. */
	machines: readonly Machine[];
	isolation: IsolationHere;
}

/** The one that a person has chosen, else that of the user's settings. */
export function isolationIn({ choice, machines, isolation }: Isolating): IsolationChoice {
	const on = machineOf(choice);
	const ofMachine = machines.find(({ id, isolate }) => id === on && isolate !== undefined)?.isolate;
	return choice.isolate ?? ofMachine ?? isolation.byDefault;
}

/** Why the chosen agents cannot run in the chosen sandbox. Whether another machine can make one, that machine tells when they start. */
export function isolationObstacle(of: Isolating): string | undefined {
	return isolationIn(of) === 'none' ? undefined : obstacleTo(of);
}

/** Nothing where no sandbox can be chosen and none is. */
export function isolationRow(title: string, of: Isolating): HubRow[] {
	const { choice } = of;
	const chosen = isolationIn(of);
	const obstacle = obstacleTo(of);
	if (obstacle !== undefined && chosen === 'none') return [];
	const offered = obstacle === undefined ? IsolationChoice.options : (['none', chosen] as const);
	return [
		{
			icon: obstacle === undefined ? 'lock' : 'warning',
			label: l10n.t('Isolation'),
			description: isolationWords(chosen).label,
			...(obstacle !== undefined && { detail: obstacle }),
			async act() {
				const items = offered.map(isolate => ({ ...isolationWords(isolate), isolate }));
				const active = items.find(({ isolate }) => isolate === chosen);
				const placeholder = l10n.t('How is it kept apart from the rest of the machine?');
				choice.isolate = (await askChoice(rowFrame(title), { items, active, placeholder })).isolate;
			},
		},
	];
}

function obstacleTo({ choice, agents, isolation }: Isolating): string | undefined {
	const others = agentsOf(choice, agents).filter(({ isIsolable }) => isIsolable !== true);
	if (others.length === 0) return machineOf(choice) === undefined ? isolation.obstacle : undefined;
	const names = others.map(({ displayName }) => displayName).join(', ');
	return l10n.t('{0} cannot run in a sandbox. Choose another agent, or no sandbox.', names);
}

function isolationWords(isolate: IsolationChoice): { label: string; detail: string } {
	switch (isolate) {
		case 'none':
			return {
				label: l10n.t('No sandbox'),
				detail: l10n.t('It can reach whatever you can. Its permissions alone bound it.'),
			};
		case 'bwrap':
			return {
				label: l10n.t('In a sandbox'),
				detail: l10n.t('It sees no home folder, changes files only where it works, and has the network.'),
			};
		case 'bwrap-offline':
			return {
				label: l10n.t('In a sandbox without network'),
				detail: l10n.t('The same without any network. Agents cannot reach a model on the network then.'),
			};
	}
}
