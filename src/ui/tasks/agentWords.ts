import { l10n } from 'vscode';
import type { Capability } from '../../core/driver/driver.ts';
import { sentence } from '../kit/failures.ts';
import type { AgentChoice } from '../ports.ts';

/** The second line of an agent in a list: why it cannot be used, or what it can do only in part or not at all. */
export function agentDetail({ problem, installHint, lacks, limits }: AgentChoice): string {
	if (problem !== undefined) return `${sentence(problem)} ${installHint}`;
	const parts = [
		...(limits.length > 0 ? [l10n.t('In part: {0}.', listed(limits))] : []),
		...(lacks.length > 0 ? [l10n.t('Not: {0}.', listed(lacks))] : []),
	];
	return parts.length === 0 ? l10n.t('Does everything that Nancy offers.') : parts.join(' ');
}

function listed(abilities: readonly Capability[]): string {
	return [...new Set(abilities.map(abilityWords))].join(', ');
}

function abilityWords(ability: Capability): string {
	switch (ability) {
		case 'hooks':
			return l10n.t('reports what it does');
		case 'steer':
		case 'batchEnd':
			return l10n.t('directives mid-run');
		case 'halt':
			return l10n.t('halt and pause');
		case 'feedback':
		case 'quietStop':
			return l10n.t('feedback when it stops');
		case 'wake':
			return l10n.t('woken when idle');
		case 'permissions':
			return l10n.t('permission questions');
		case 'status':
			return l10n.t('tells its own status');
		case 'skills':
			return l10n.t('skills');
		case 'resume':
			return l10n.t('resume');
		case 'fork':
			return l10n.t('fork');
		case 'headless':
			return l10n.t('delegates');
		case 'worktree':
			return l10n.t('delegates in worktrees');
	}
}
