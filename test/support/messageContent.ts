import type { SealedAuthor } from '../../src/protocol/author.ts';
import type { MessageContent } from '../../src/protocol/message.ts';

/** A message as the human sends it from the composer: a directive that does no more than be read. */
export function messageContent(text: string, more: Partial<MessageContent> = {}): MessageContent {
	return { kind: 'directive', priority: 'normal', effect: 'none', from: 'orchestrator', text, ...more };
}

/** Who sends it there. */
export const BY_USER = { is: 'human', via: 'window' } as const satisfies SealedAuthor;
