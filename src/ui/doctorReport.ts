import * as vscode from 'vscode';
import type { DoctorOutput } from '../protocol/output/deployment.ts';
import { pageLine } from './kit/page.ts';
import { translated } from './kit/translated.ts';
import type { Report } from './ports.ts';

const { l10n } = vscode;

type Check = DoctorOutput['checks'][number];

const signs: Readonly<Record<Check['level'], string>> = { ok: '✓', note: 'ℹ', problem: '✗' };

/** The doctor's findings as a page: problems, then hints, then what is in order. */
export function doctorReport({ checks, failed }: DoctorOutput): Report {
	const present = checks.filter(({ repaired }) => !repaired);
	const of = (level: Check['level']) => present.filter(check => check.level === level);
	const problems = of('problem');
	const heading = headingFor(problems.length);
	const repairs = [
		...checks
			.filter(({ repaired }) => repaired)
			.map(({ text }) => `- ${signs.ok} ${pageLine(translated(text))} — ${l10n.t('repaired')}`),
		...failed.map(
			({ text, reason }) =>
				`- ${signs.problem} ${pageLine(translated(text))} — ${l10n.t('not repaired: {0}', pageLine(translated(reason)))}`,
		),
	];
	const sections = [
		['', repairs],
		[l10n.t('Broken'), problems.map(line)],
		[l10n.t('Worth Knowing'), of('note').map(line)],
		[l10n.t('OK'), of('ok').map(line)],
	] as const;
	const body = sections
		.filter(([, lines]) => lines.length > 0)
		.map(([title, lines]) => [...(title === '' ? [] : [`## ${title}`, '']), ...lines].join('\n'));
	return {
		markdown: `# ${l10n.t('Nancy Doctor')}\n\n${heading}\n\n${body.join('\n\n')}\n`,
		repairable: present.filter(({ repair }) => repair !== undefined).length,
	};
}

function headingFor(problems: number): string {
	if (problems === 0) return l10n.t('Nothing is broken.');
	return problems === 1 ? l10n.t('One thing is broken.') : l10n.t('{0} things are broken.', problems);
}

function line({ level, check, text, repair }: Check): string {
	const cure = repair === undefined ? '' : ` — ${l10n.t('Repair: {0}.', pageLine(translated(repair)))}`;
	return `- ${signs[level]} **${check}** ${pageLine(translated(text))}${cure}`;
}
