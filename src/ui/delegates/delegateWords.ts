import { l10n } from 'vscode';
import { pathFrom } from '../../base/inside.ts';
import { isFinal, type Delegate } from '../../core/delegates/delegate.ts';
import { delegateStateWord } from '../../words/delegates.ts';
import { labelsOf, type DelegateLabels } from './delegateLabels.ts';
import { firstLine, formatMinutes, formatMoment, formatSpan, formatTime } from '../kit/format.ts';
import { translated } from '../kit/translated.ts';

/** Delegates as a person reads them. */

/** A delegate's state in one word, or a few. */
export function stateWord({ state, error, isStoppedByUser, waitsInQueue }: Delegate, isMerged = false): string {
	if (isMerged) return l10n.t('merged');
	if (error === 'cancelled') return isStoppedByUser ? l10n.t('stopped by you') : l10n.t('stopped');
	return translated(delegateStateWord(state, waitsInQueue));
}

/** In place of an answer, or beside its file. */
export function outputChanged(): string {
	return l10n.t('The answer was changed or removed since the delegate ended.');
}

/** A folder's delegates are the same list until something has changed. */
const known = new WeakMap<readonly Delegate[], DelegateLabels>();

/**
 * The labels of the rows of a folder.
 * @param agentName the window's: every caller names agents alike
 */
export function delegateLabels(delegates: readonly Delegate[], agentName: (driver: string) => string): DelegateLabels {
	const before = known.get(delegates);
	if (before) return before;
	const labels = labelsOf(delegates, {
		title: shortTitle,
		agent: ({ record }) => [agentName(record.agent), record.model].filter(Boolean).join(' · '),
		round: (label, round) => l10n.t('{0} · round {1}', label, round),
	});
	known.set(delegates, labels);
	return labels;
}

/** A short name, for places with little room. A prompt's first line may be long. */
export function shortTitle({ record }: Delegate): string {
	return firstLine(record.title, 24);
}

/** `asks: touch made` */
function asksWords({ asks = [] }: Delegate): string {
	return asks.length === 0 ? '' : l10n.t('asks: {0}', asks.map(each => firstLine(each)).join('; '));
}

/** `running · 12 tool calls · Edit src/x.ts · 2 min` */
export function delegateLine(delegate: Delegate, isMerged = false, nowMs: number = Date.now()): string {
	const { state, status, error } = delegate;
	const isAtWork = state === 'running' || state === 'parked';
	const until = status.parked_until === undefined ? l10n.t('waits for a place') : untilWords(status.parked_until);
	return [
		stateWord(delegate, isMerged),
		state === 'parked' ? until : '',
		state === 'queued' && status.waits_for !== undefined ? l10n.t('waits for a place') : '',
		state === 'failed' && error !== 'cancelled' ? firstLine(error ?? '') : '',
		asksWords(delegate),
		machineWords(delegate),
		isolationWords(delegate),
		delegate.isUnproved ? l10n.t('not queued by you here') : '',
		toolCalls(status.tool_calls),
		state === 'running' && !delegate.asks ? lastStep(delegate) : '',
		isAtWork || isFinal(state) ? duration(delegate, nowMs) : '',
	]
		.filter(Boolean)
		.join(' · ');
}

/** `ssh:gpu1 · not seen since 14:02`, `slurm:hpc@login1 · waits: Resources`; empty for this machine. */
export function machineWords({ record: { on = '' }, unseenSince, waitsInQueue }: Delegate): string {
	return [
		on,
		waitsInQueue === undefined ? '' : l10n.t('waits: {0}', firstLine(waitsInQueue)),
		unseenSince === undefined ? '' : l10n.t('not seen since {0}', formatMoment(unseenSince)),
	]
		.filter(Boolean)
		.join(' · ');
}

/** `isolated (bwrap)`; empty for one that runs in no sandbox. */
export function isolationWords({ record: { isolate } }: Delegate): string {
	return isolate === undefined ? '' : l10n.t('isolated ({0})', isolate);
}

export function untilWords(moment: string): string {
	return l10n.t('until {0}', formatTime(moment));
}

/** How long the delegate has worked, up to now or up to its end. */
export function duration({ status, state, waitsInQueue }: Delegate, nowMs: number = Date.now()): string {
	const { started_at, ended_at } = status;
	if (started_at === undefined || waitsInQueue !== undefined) return '';
	if (!isFinal(state)) return formatMinutes(started_at, nowMs) ?? '';
	return ended_at === undefined ? '' : formatSpan(Math.max(0, Date.parse(ended_at) - Date.parse(started_at)));
}

export function toolCalls(count: number): string {
	if (count === 0) return '';
	return count === 1 ? l10n.t('1 tool call') : l10n.t('{0} tool calls', count);
}

/** `Edit src/x.ts` */
export function lastStep({ record, status }: Delegate): string {
	const { last_tool, last_file, worktree } = status;
	if (last_file === undefined) return last_tool ?? '';
	return [last_tool, pathFrom(worktree?.folder ?? record.place.folder, last_file)].filter(Boolean).join(' ');
}
