import { l10n } from 'vscode';
import { heldText, type LimitOf } from '../../core/mailbox/held.ts';
import { messageTime } from '../../core/mailbox/messageId.ts';
import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import type { Receipt } from '../../protocol/records.ts';
import { rungWords, stateWord } from '../words.ts';
import { translated } from '../kit/translated.ts';

/** What happened to a message, or what it waits for. */
export interface Step {
	/** UTC, ISO 8601; `undefined` if nobody noted when. */
	at: string | undefined;
	words: string;
}

/** From its writing to its present state. */
export function timeline(message: StoredMessage, isMail: boolean, limitOf: LimitOf): Step[] {
	const { id, state, receipt, held } = message;
	const isQueued = state === 'queued' || state === 'claimed';
	return [
		{ at: messageTime(id), words: isMail ? l10n.t('written') : stateWord('queued') },
		...(receipt?.lost ?? []).flatMap(lostSteps),
		...(receipt ? deliverySteps(receipt) : []),
		...(held && isQueued ? [step(l10n.t('held: {0}', translated(heldText(held, limitOf))))] : []),
		...(state === 'claimed' ? [step(stateWord(state))] : []),
		...(isMail && state !== 'withdrawn' ? [step(isQueued ? l10n.t('unread') : l10n.t('read'))] : []),
		...(state === 'archived' || state === 'withdrawn' ? [step(stateWord(state))] : []),
	];
}

function lostSteps({ deliveredAt, event, queuedAgainAt }: NonNullable<Receipt['lost']>[number]): Step[] {
	return [
		{ at: deliveredAt, words: l10n.t('delivered at {0}', event) },
		{ at: queuedAgainAt, words: l10n.t('not in the transcript: lost, and queued again') },
	];
}

function deliverySteps(receipt: Receipt): Step[] {
	const { deliveredAt, event, tool, rung, inContextAt, earlierClaims, lost = [] } = receipt;
	const place = [event, tool].filter(Boolean).join(' ');
	const again = earlierClaims - lost.length;
	return [
		...(again > 0 ? [step(l10n.t('handed over before, {0}: the agent may have read it twice', `${again}×`))] : []),
		{ at: deliveredAt, words: l10n.t('delivered at {0}: {1}', place, rungWords(rung)) },
		inContextAt === undefined
			? step(l10n.t('not seen in the transcript yet'))
			: { at: inContextAt, words: l10n.t('in context') },
	];
}

function step(words: string): Step {
	return { at: undefined, words };
}
