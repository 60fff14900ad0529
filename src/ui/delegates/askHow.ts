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
import { agentRow, askHub, misplacedWords, modelRow, placeRow, type HubRow, type Machine } from '../start/startHub.ts';
import { askMore, moreWords } from './askMore.ts';
import type { DelegateChoice } from './delegateChoice.ts';

export interface HowToDelegate {
	/** Changed as the user says. */
	choice: DelegateChoice;
	agents: readonly AgentChoice[];
	/** Those of the user's settings. */
	machines: readonly Machine[];
	presets: Presets;
	/** Whether it is taken changes as the user says. */
	selection: OfferedSelection | undefined;
	workspace: string;
}

/** Shows the choice until the user starts it. */
export async function askHow(frame: StepFrame, how: HowToDelegate): Promise<void> {
	await askHub(frame, () => summary(how));
}

function summary({ choice, agents, machines, presets, selection, workspace }: HowToDelegate): HubRow[] {
	const title = l10n.t('Delegate');
	const modes = modesFor(choice);
	return [
		startRow(title, choice, agents),
		presetRow({ title, presets, choice, agents, modes }),
		agentRow(title, choice, agents),
		placeRow(title, choice, agents, choice.within, machines),
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

function startRow(title: string, choice: DelegateChoice, agents: readonly AgentChoice[]): HubRow {
	const count = runsOf(choice, agents).length;
	return {
		icon: 'play',
		label: count > 1 ? l10n.t('Start {0} Delegates', count) : l10n.t('Start Delegate'),
		act() {
			if (count === 0) return agentRow(title, choice, agents).act();
			if (misplaced(choice, agents, choice.within).length === 0) return 'start';
			return void warn(misplacedWords(choice, agents, choice.within));
		},
	};
}

/** From another machine no question comes back. */
function modesFor(choice: DelegateChoice): Modes {
	const isElsewhere = machineOf(choice) !== undefined;
	return {
		of: ({ permissionModes }) => permissionModes.filter(({ asks }) => !(asks && isElsewhere)),
		question: ({ displayName }) =>
			isElsewhere
				? l10n.t('What may {0} do unasked? Everything else is denied.', displayName)
				: l10n.t(
						'What may {0} do unasked? Everything else is denied and reported, unless the mode asks you.',
						displayName,
					),
	};
}

/** The chosen permission mode of an agent, or the agent's first. @throws NancyError `no-agent` if it has none */
export function permissionsOf(agent: AgentChoice, choice: DelegateChoice): string {
	const mode = modeOf(agent, choice, modesFor(choice))?.id;
	if (mode !== undefined) return mode;
	throw new NancyError('no-agent', l10n.t('{0} cannot run without a terminal.', agent.displayName));
}
