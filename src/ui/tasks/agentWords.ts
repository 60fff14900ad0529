import { l10n } from 'vscode';
import { sentence } from '../kit/format.ts';
import type { AgentChoice } from '../ports.ts';

/** Its version, or why there is none to use, and whether it was ever tried. */
export function agentVersion({ isUntried, ...agent }: AgentChoice): string {
	return isUntried ? l10n.t('{0}, not tried with Nancy', versionOf(agent)) : versionOf(agent);
}

function versionOf({ found, obstacle, oldVersion = '' }: Omit<AgentChoice, 'isUntried'>): string {
	if (found) return found.version || l10n.t('version unknown');
	switch (obstacle) {
		case 'too-old':
			return l10n.t('{0} is too old', oldVersion);
		case 'broken':
			return l10n.t('cannot be used');
		case 'unanswered':
			return l10n.t('did not answer');
		default:
			return l10n.t('not found');
	}
}

/** The second line of an agent in a list: how it hears the user, or why it cannot be used. */
export function agentDetail({ found, problem, lacks, limits }: AgentChoice): string {
	if (!found) return problem === undefined ? '' : sentence(problem);
	if (lacks.includes('steer') && lacks.includes('feedback')) return l10n.t('Reads messages with your next prompt');
	const steered = lacks.includes('steer')
		? l10n.t('Reads messages when it is done')
		: l10n.t('Steered at each tool call');
	if (lacks.includes('wake')) return l10n.t('{0}, waits for your next prompt when idle', steered);
	return limits.includes('wake')
		? l10n.t('{0}, wakes when idle, with limits', steered)
		: l10n.t('{0}, wakes when idle', steered);
}
