import { l10n } from 'vscode';
import { eventName, type EventName } from '../../core/traffic/eventName.ts';
import type { TrafficNode } from '../../core/traffic/node.ts';
import { turnSubject } from '../../core/traffic/turnSubject.ts';
import type { DeliveryNote } from '../../protocol/traffic.ts';
import { firstLine } from '../kit/format.ts';
import type { Folder } from '../ports.ts';
import { messageOf } from '../inbox/shownMessages.ts';
import type { TurnItem } from './trafficItems.ts';

/** What happened, in the same words for every CLI: `tool Bash`, `asks permission`, `prompt`. */
export function eventLabel({ event, tool }: Pick<TrafficNode, 'event' | 'tool'>): string {
	const name = eventName(event);
	if (name === 'tool-start') return tool === undefined ? l10n.t('tool') : l10n.t('tool {0}', tool);
	// What Nancy does not know keeps the CLI's own name.
	return name === 'other' ? event.event : nameWords(name);
}

function nameWords(name: Exclude<EventName, 'tool-start' | 'other'>): string {
	switch (name) {
		case 'session-start':
			return l10n.t('session start');
		case 'session-end':
			return l10n.t('session end');
		case 'prompt':
			return l10n.t('prompt');
		case 'tool-end':
			return l10n.t('tool done');
		case 'tool-failed':
			return l10n.t('tool failed');
		case 'batch-end':
			return l10n.t('tools done');
		case 'permission-check':
			return l10n.t('permission check');
		case 'permission-asked':
			return l10n.t('asks permission');
		case 'permission-denied':
			return l10n.t('permission denied');
		case 'permission-answered':
			return l10n.t('permission answered');
		case 'asked':
			return l10n.t('asks you');
		case 'rested':
			return l10n.t('waits for a prompt');
		case 'notification':
			return l10n.t('notification');
		case 'stop':
			return l10n.t('stop');
		case 'stop-failed':
			return l10n.t('turn failed');
		case 'interrupted':
			return l10n.t('interrupted');
		case 'subagent-start':
			return l10n.t('subagent start');
		case 'subagent-stop':
			return l10n.t('subagent stop');
		case 'compact-start':
			return l10n.t('compaction start');
		case 'compact-end':
			return l10n.t('compaction done');
		case 'folder-changed':
			return l10n.t('folder changed');
		case 'watch-asked':
			return l10n.t('asks what to watch');
		case 'doorbell':
			return l10n.t('doorbell');
		case 'model-changed':
			return l10n.t('model changed');
		case 'settings-changed':
			return l10n.t('settings changed');
		case 'message-shown':
			return l10n.t('message shown');
	}
}

/** What has become of a tool call, or of a question to the user. */
export function outcomeWord({ event, outcome }: TrafficNode): string | undefined {
	const isCall = event.kind === 'tool-start';
	if (outcome === undefined) return undefined;
	switch (outcome) {
		case 'running':
			return l10n.t('running');
		case 'waiting':
			return isCall ? l10n.t('waiting for permission') : l10n.t('waiting');
		case 'ok':
			return isCall ? l10n.t('done') : l10n.t('allowed');
		case 'failed':
			return l10n.t('failed');
		case 'denied':
			return isCall ? l10n.t('not run') : l10n.t('denied');
		case 'unreported':
			return isCall ? l10n.t('end not reported') : l10n.t('over');
		case 'interrupted':
			return isCall ? l10n.t('not finished') : l10n.t('over');
	}
}

/** A turn's title: its prompt, or the message that woke the agent. */
export function turnTitle({ session: { folder }, whole, before }: TurnItem): { title: string; isMessage: boolean } {
	const subject = turnSubject(whole, before);
	switch (subject.from) {
		case 'prompt':
			return { title: subject.text, isMessage: false };
		case 'messages':
			return {
				title: deliveredTexts(folder, subject.delivery)[0] ?? l10n.t('Woken by a message'),
				isMessage: true,
			};
		case 'agent':
			return { title: l10n.t('Woken by its own notification'), isMessage: false };
		case 'start':
			return { title: l10n.t('Before the first prompt'), isMessage: false };
		case 'unknown':
			return { title: l10n.t('Without a known prompt'), isMessage: false };
	}
}

/** The first words of the delivered messages, as long as the messages exist. */
export function deliveredTexts(folder: Folder, { task, worker, messages }: DeliveryNote): string[] {
	const listing = folder.messages({ task, worker });
	return messages
		.map(id => messageOf(listing, id)?.content.text)
		.filter(text => text !== undefined)
		.map(text => firstLine(text, 60));
}
