import { l10n } from 'vscode';
import type { EventDetail } from '../../core/traffic/eventDetail.ts';
import type { TrafficNode } from '../../core/traffic/node.ts';
import type { DeliveryNote } from '../../protocol/traffic.ts';
import { formatDateTime, formatDuration } from '../kit/format.ts';
import { pageBlock, pageLine } from '../kit/page.ts';
import type { Folder } from '../ports.ts';
import { whoWrote } from '../who.ts';
import { effectWord, rungWords } from '../words.ts';
import type { NodeItem } from './trafficItems.ts';
import { sessionName } from './trafficRows.ts';
import { eventLabel, outcomeWord } from './trafficWords.ts';

/** One event as a page: what went in, what came out, and what Nancy delivered there. */
export function eventReport(
	{ turn: { session }, node }: NodeItem,
	detail: EventDetail,
	agentName: (driver: string) => string,
): string {
	const isTool = node.event.tool !== undefined;
	const parts = [
		`# ${pageLine(eventLabel(node))}`,
		facts(node, [
			[l10n.t('Agent'), agentName(node.event.driver)],
			[l10n.t('Worker'), sessionName(session)],
		]),
		section(isTool ? l10n.t('Input') : l10n.t('Text'), detail.input),
		section(isTool ? l10n.t('Output') : l10n.t('Answer'), detail.output),
		...node.deliveries.map(delivery => delivered(session.folder, delivery)),
		section(l10n.t('Trouble'), node.troubles.map(({ reason }) => reason).join('\n')),
		`*${l10n.t('Secrets are taken out, and long texts are cut. The records as they are stored: Open Payload, on the row.')}*`,
	];
	return `${parts.filter(part => part !== '').join('\n\n')}\n`;
}

type Fact = readonly [label: string, value: string | undefined];

function facts(node: TrafficNode, more: readonly Fact[]): string {
	const { event, at, durationMs } = node;
	const rows: readonly Fact[] = [
		[l10n.t('Time'), formatDateTime(at)],
		...more,
		[l10n.t('State'), outcomeWord(node)],
		[l10n.t('Took'), durationMs === undefined ? undefined : formatDuration(durationMs)],
		[l10n.t('Subagent'), event.subagent],
		[l10n.t('Event of the agent'), [event.event, event.tool].filter(Boolean).join(' ')],
	];
	const lines = rows.flatMap(([label, value]) => (value ? [`| ${label} | ${pageLine(value)} |`] : []));
	return ['| | |', '| --- | --- |', ...lines].join('\n');
}

function section(title: string, text: string | undefined): string {
	return text ? `## ${title}\n\n${pageBlock(text)}` : '';
}

function delivered(folder: Folder, { task, worker, messages, rung, effect }: DeliveryNote): string {
	const known = folder.messages({ task, worker }).messages;
	const texts = messages.map(id => {
		const message = known.find(each => each.id === id);
		if (!message) return `${pageLine(l10n.t('The message is gone.'))}`;
		const from = l10n.t('From {0}', whoWrote(folder, message.author));
		return `${pageLine(from)}\n\n${pageBlock(message.content.text)}`;
	});
	const how = [rungWords(rung), effectWord(effect)].filter(Boolean).join(' · ');
	return [`## ${l10n.t('Delivered by Nancy')}`, pageLine(how), ...texts].join('\n\n');
}
