import type { Effect, MessageContent } from '../protocol/message.ts';
import { ORCHESTRATOR, type MessageId } from '../protocol/names.ts';
import type { Claim, Mailbox } from './mailbox.ts';
import { isDue, slotOf } from './due.ts';
import type { EventKind } from '../protocol/traffic.ts';

/** What one hook call hands to the agent. */
export interface Batch {
	claims: Claim[];
	/** The messages as the agent reads them. */
	text: string;
	effect: Effect;
}

/**
 * Claims what is due, most urgent first, as far as it fits into `limit` UTF-16 units; the rest waits for the next boundary.
 * A message that is too long by itself is handed over as a file to read.
 */
export async function claimBatch(
	mailbox: Mailbox,
	event: { kind: EventKind; subagent?: string | undefined },
	limit: number,
): Promise<Batch> {
	const slot = slotOf(event);
	let room = limit - ENVELOPE;
	const claims = await mailbox.claim((content, id) => {
		if (!isDue(slot, content)) return 'leave';
		const size = Math.min(render(content, id, content.text).length, limit / 4) + PER_MESSAGE;
		if (size > room) return 'stop';
		room -= size;
		return 'take';
	});
	const parts = claims.map(claim => {
		const whole = render(claim.content, claim.id, claim.content.text);
		const text = whole.length <= limit / 4 ? whole : render(claim.content, claim.id, pointer(claim));
		return claim.earlierClaims === 0 ? text : `${text}\n(You may have received this message before.)`;
	});
	const effects = new Set(claims.map(claim => claim.content.effect));
	return {
		claims,
		text: parts.join('\n\n'),
		effect: slot !== 'boundary' ? 'none' : effects.has('pause') ? 'pause' : effects.has('halt') && event.kind === 'tool-start' ? 'halt' : 'none',
	};
}

/** Room kept for what a driver puts around a batch, and for the lines around each message. */
const ENVELOPE = 200;
const PER_MESSAGE = 400;

function render(content: MessageContent, id: MessageId, text: string): string {
	const urgent = content.priority === 'urgent' ? 'URGENT ' : '';
	return [
		`[Nancy: ${urgent}${content.kind} from ${speaker(content.from)}]`,
		text,
		`[Message ${id}. When you have acted on it: nancy archive ${JSON.stringify(id)}]`,
	].join('\n');
}

function pointer(claim: Claim): string {
	const opening = claim.content.text.slice(0, 300);
	return `${opening} …\nThis message is long. Read the whole of it now, in this file: ${claim.deliveredFile}`;
}

/** Who speaks, in words that an agent can weigh: only the human's own messages are called the user's. */
function speaker(from: string): string {
	if (from === ORCHESTRATOR) return 'the user, sent from the Nancy sidebar';
	if (from.startsWith('delegate:')) return `your delegate ${from.slice('delegate:'.length)} (another agent, not the user)`;
	return `worker ${from} (another agent, not the user)`;
}
