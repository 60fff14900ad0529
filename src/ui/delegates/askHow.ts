import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { StepFrame } from '../kit/inputs.ts';
import { warn } from '../kit/messages.ts';
import type { AgentChoice } from '../ports.ts';
import { selectionRow, type OfferedSelection } from '../start/askPrompt.ts';
import { presetRow } from '../start/askPreset.ts';
import { modeOf, permissionsRow, type Modes } from '../start/permissions.ts';
import type { Presets } from '../start/presets.ts';
import { machineOf, misplaced, runsOf } from '../start/startChoice.ts';
import { agentRow, askHub, misplacedWords, modelRow, placeRow, type HubRow } from '../start/startHub.ts';
import { isolationIn, isolationObstacle, isolationRow, type Isolating } from './askIsolation.ts';
import { askMore, moreWords } from './askMore.ts';

/** `choice` is changed as the user says. */
export interface HowToDelegate extends Isolating {
	presets: Presets;
	/** Whether it is taken changes as the user says. */
	selection: OfferedSelection | undefined;
	workspace: string;
}

/** Shows the choice until the user starts it. */
export async function askHow(frame: StepFrame, how: HowToDelegate): Promise<void> {
	await askHub(frame, () => summary(how));
}

function summary(how: HowToDelegate): HubRow[] {
	const { choice, agents, machines, presets, selection, workspace } = how;
	const title = l10n.t('Delegate');
	const modes = modesFor(how);
	return [
		startRow(title, how),
		presetRow({ title, presets, choice, agents, modes }),
		agentRow(title, choice, agents),
		placeRow(title, choice, agents, choice.within, machines),
		...isolationRow(title, how),
		...permissionsRow(title, choice, agents, modes),
		...modelRow(title, choice, agents),
		...(selection ? [selectionRow(selection)] : []),
		{
			icon: 'gear',
			label: l10n.t('More Options…'),
			description: moreWords(choice),
			act: () => askMore(choice, workspace),
		},
	];
}

function startRow(title: string, how: HowToDelegate): HubRow {
	const { choice, agents } = how;
	const count = runsOf(choice, agents).length;
	return {
		icon: 'play',
		label: count > 1 ? l10n.t('Start {0} Delegates', count) : l10n.t('Start Delegate'),
		act() {
			if (count === 0) return agentRow(title, choice, agents).act();
			if (misplaced(choice, agents, choice.within).length > 0)
				return void warn(misplacedWords(choice, agents, choice.within));
			const obstacle = isolationObstacle(how);
			return obstacle === undefined ? 'start' : void warn(obstacle);
		},
	};
}

/** From another machine, and from a sandbox, no question comes back. */
function modesFor(how: Isolating): Modes {
	const isSilent = machineOf(how.choice) !== undefined || isolationIn(how) !== 'none';
	return {
		of: ({ permissionModes }) => permissionModes.filter(({ asks }) => !(asks && isSilent)),
		question: ({ displayName }) =>
			isSilent
				? l10n.t('What may {0} do unasked? Everything else is denied.', displayName)
				: l10n.t(
						'What may {0} do unasked? Everything else is denied and reported, unless the mode asks you.',
						displayName,
					),
	};
}

/** The chosen permission mode of an agent, or the agent's first. @throws NancyError `no-agent` if it has none */
export function permissionsOf(agent: AgentChoice, how: Isolating): string {
	const mode = modeOf(agent, how.choice, modesFor(how))?.id;
	if (mode !== undefined) return mode;
	throw new NancyError('no-agent', l10n.t('{0} cannot run without a terminal.', agent.displayName));
}
