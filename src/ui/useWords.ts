import { l10n } from 'vscode';
import type { RateLimit, TranscriptFacts } from '../core/driver/transcript.ts';
import { usedShare } from '../core/budgets/level.ts';
import { presentLimits, tokensOf, type Use } from '../core/budgets/use.ts';
import type { BudgetView } from '../core/live/overview.ts';
import type { Budget } from '../protocol/budget.ts';
import type { ChangedLines } from './ports.ts';
import { formatCents, formatCount, formatDollars, formatRough, formatWindow } from './kit/format.ts';

/** Tokens, cost and limits as a person reads them. */

/** For a row: `45k`, `$0.31`. Less than a thousand tokens or a cent is left out. */
export function useNotes(use: Use | undefined): string[] {
	if (!use) return [];
	return [formatRough(tokensOf(use)), use.costUsd === undefined ? '' : formatCents(use.costUsd)].filter(
		note => note !== '',
	);
}

/** The same for a screen reader: `45k tokens`, `$0.31`. */
export function spokenUse(use: Use | undefined): string[] {
	if (!use) return [];
	const tokens = formatRough(tokensOf(use));
	const [cost] = useNotes({ ...use, inputTokens: 0, outputTokens: 0 });
	return [tokens === '' ? '' : l10n.t('{0} tokens', tokens), cost ?? ''].filter(note => note !== '');
}

/** For a row: `+120 −14`. Nothing if nothing has changed. */
export function lineNotes(lines: ChangedLines | undefined): string[] {
	if (!lines || lines.insertions + lines.deletions === 0) return [];
	return [`+${lines.insertions} \u2212${lines.deletions}`];
}

export function spokenLines(lines: ChangedLines | undefined): string[] {
	const words = lineWords(lines);
	return words === undefined ? [] : [words];
}

/** For a hover, and for a screen reader. */
export function lineWords(lines: ChangedLines | undefined): string | undefined {
	if (!lines || lines.insertions + lines.deletions === 0) return undefined;
	const { insertions, deletions } = lines;
	return insertions === 1
		? l10n.t('1 line added, {0} removed', deletions)
		: l10n.t('{0} lines added, {1} removed', insertions, deletions);
}

/** For a hover: `48.2k tokens · $0.31`. */
export function useWords(use: Use): string {
	const cost = use.costUsd === undefined ? '' : formatDollars(use.costUsd);
	return [l10n.t('{0} tokens', formatCount(tokensOf(use))), cost].filter(Boolean).join(' · ');
}

/** `420 in, 9k out`. A CLI may tell only the one. */
export function inAndOut({ inputTokens, outputTokens }: Use): string {
	const [given, made] = [formatCount(inputTokens), formatCount(outputTokens)];
	if (inputTokens === 0) return l10n.t('{0} out', made);
	return outputTokens === 0 ? l10n.t('{0} in', given) : l10n.t('{0} in, {1} out', given, made);
}

/** `200k tokens`, `$2.00` */
export function budgetWords(budget: Budget): string {
	return 'tokens' in budget ? l10n.t('{0} tokens', formatCount(budget.tokens)) : formatDollars(budget.costUsd);
}

/** For a row, once little is left of a budget. */
export function budgetNote(view: BudgetView | undefined): string[] {
	if (view?.level === 'spent') return [l10n.t('budget used up')];
	return view?.level === 'near' ? [l10n.t('budget nearly used up')] : [];
}

/** For a hover: `200k tokens, 45 % used`. */
export function budgetLine({ budget }: BudgetView, use: Use | undefined): string {
	return l10n.t('{0}, {1} % used', budgetWords(budget), Math.round(100 * usedShare(budget, use)));
}

/** `45 % of 200k` */
export function contextWords({ contextTokens, contextWindow }: TranscriptFacts): string | undefined {
	if (contextTokens === undefined) return undefined;
	if (contextWindow === undefined) return formatCount(contextTokens);
	const percent = Math.round((100 * contextTokens) / contextWindow);
	return l10n.t('{0} % of {1} ({2})', percent, formatRough(contextWindow), formatCount(contextTokens));
}

/** `5 h: 62 % used, resets at 14:20` */
export function limitWords(limits: readonly RateLimit[], nowMs: number = Date.now()): string {
	return presentLimits(limits, nowMs)
		.map(limit => oneLimit(limit, nowMs))
		.join('; ');
}

function oneLimit({ minutes, usedPercent, resetsAt }: RateLimit, nowMs: number): string {
	const used = l10n.t('{0} % used', Math.round(usedPercent));
	const said = minutes === undefined ? used : `${formatWindow(minutes)}: ${used}`;
	return resetsAt === undefined ? said : l10n.t('{0}, resets at {1}', said, resetTime(resetsAt, nowMs));
}

/** `14:20`, with the day if that is not today. */
function resetTime(moment: string, nowMs: number): string {
	const at = new Date(moment);
	const isToday = at.toDateString() === new Date(nowMs).toDateString();
	return at.toLocaleString(undefined, {
		...(!isToday && { weekday: 'short', day: 'numeric', month: 'short' }),
		hour: '2-digit',
		minute: '2-digit',
		hourCycle: 'h23',
	});
}
