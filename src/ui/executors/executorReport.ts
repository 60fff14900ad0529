import { l10n } from 'vscode';
import type { Executor } from '../../protocol/output/executors.ts';
import { sentence } from '../kit/format.ts';
import { pageLine } from '../kit/page.ts';
import { translated } from '../kit/translated.ts';

type Has = NonNullable<Executor['has']>;

/** What machines have and lack, as a page. Most of it is the machines' own words. */
export function executorReport(executors: readonly Executor[], agentName: (driver: string) => string): string {
	const sections = executors.map(executor => section(executor, agentName).join('\n'));
	return `# ${l10n.t('Machines for Delegates')}\n\n${sections.join('\n\n')}\n`;
}

function section({ name, id, isReachable, has, lacks }: Executor, agentName: (driver: string) => string): string[] {
	const isReady = lacks.length === 0;
	const state = isReady ? l10n.t('ready') : isReachable ? l10n.t('not ready') : l10n.t('not reached');
	return [
		`## ${isReady ? '✓' : '✗'} ${pageLine(name)} — ${state}`,
		...(name === id ? [] : ['', pageLine(id)]),
		...(has
			? [
					...list(
						lacks.map(each => sentence(translated(each))),
						l10n.t('What it lacks'),
					),
					...list(factsOf(has, agentName), l10n.t('What it has')),
				]
			: // A sentence that begins with the host's name.
				list(lacks.map(translated))),
	];
}

function list(lines: readonly string[], heading?: string): string[] {
	if (lines.length === 0) return [];
	return ['', ...(heading === undefined ? [] : [`### ${heading}`, '']), ...lines.map(line => `- ${pageLine(line)}`)];
}

function factsOf(
	{ node, git, slurm, bubblewrap, sandboxFault, agents, freeBytes, survivesLogout }: Has,
	agentName: (driver: string) => string,
): string[] {
	return [
		...(node === '' ? [] : [`Node ${node}`]),
		...(git === '' ? [] : [git]),
		...(slurm === '' ? [] : [slurm]),
		...(bubblewrap === ''
			? []
			: [
					sandboxFault === ''
						? bubblewrap
						: l10n.t('{0}, which makes no sandbox: {1}', bubblewrap, sandboxFault),
				]),
		...agents.map(({ id, version }) => [agentName(id), version].filter(Boolean).join(': ')),
		l10n.t('{0} GB free in the home folder', (freeBytes / 1024 ** 3).toFixed(1)),
		logoutWords(survivesLogout),
	];
}

function logoutWords(survives: Has['survivesLogout']): string {
	switch (survives) {
		case 'yes':
			return l10n.t('A delegate goes on after you log out');
		case 'no':
			return l10n.t('A delegate ends when you log out');
		case 'unknown':
			return l10n.t('Nobody can tell whether a delegate goes on after you log out');
	}
}
