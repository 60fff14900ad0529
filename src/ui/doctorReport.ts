import * as vscode from 'vscode';
import type { Finding, Repair } from '../core/deployment/doctor.ts';
import { plainLine } from './kit/plain.ts';
import type { Report } from './ports.ts';

const { l10n } = vscode;

const signs: Readonly<Record<Finding['level'], string>> = { ok: '✓', note: 'ℹ', problem: '✗' };

/** The doctor's findings as a page: what is wrong first, then what is worth knowing, then what is well. */
export function doctorReport(findings: readonly Finding[], repairs: readonly Repair[]): Report {
	const of = (level: Finding['level']) => findings.filter(finding => finding.level === level);
	const problems = of('problem');
	const heading = headingFor(problems.length);
	const done = repairs.map(({ finding, failure }) =>
		failure === undefined
			? `- ${signs.ok} ${escaped(finding.text)} — ${l10n.t('repaired')}`
			: `- ${signs.problem} ${escaped(finding.text)} — ${l10n.t('not repaired: {0}', escaped(failure))}`,
	);
	const sections = [
		['', done],
		[l10n.t('Broken'), problems.map(line)],
		[l10n.t('Worth Knowing'), of('note').map(line)],
		[l10n.t('Well'), of('ok').map(line)],
	] as const;
	const body = sections
		.filter(([, lines]) => lines.length > 0)
		.map(([title, lines]) => [...(title === '' ? [] : [`## ${title}`, '']), ...lines].join('\n'));
	return {
		markdown: `# ${l10n.t('Nancy Doctor')}\n\n${heading}\n\n${body.join('\n\n')}\n`,
		repairable: findings.filter(finding => finding.repair).length,
	};
}

function headingFor(problems: number): string {
	if (problems === 0) return l10n.t('Nothing is broken.');
	return problems === 1 ? l10n.t('One thing is broken.') : l10n.t('{0} things are broken.', problems);
}

function line({ level, check, text, repair }: Finding): string {
	const cure = repair === undefined ? '' : ` — ${l10n.t('Repair: {0}.', escaped(repair.text))}`;
	return `- ${signs[level]} **${check}** ${escaped(text)}${cure}`;
}

/** Paths and reasons come from files: shown as text, whatever is in them. The preview makes links of addresses too, at their colon. */
function escaped(text: string): string {
	return plainLine(text, 2000).replace(/[\\`*_{}[\]<>#|:@&~]/g, '\\$&');
}
