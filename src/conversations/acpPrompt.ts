import type { ContentBlock } from '@agentclientprotocol/sdk';
import { holdsMessage } from '../drivers/messages.ts';

const END = 'This was all that was handed over.';

/**
 * Words as a prompt of the protocol. In the last block of text Claude Code reads every file mentioned as `@path`, whatever the permissions
 * (measured with 2.1.329 by its adapter 0.100.0). A message may be another agent's, so it is not the last block.
 */
export function promptOf(words: string): ContentBlock[] {
	const blocks: ContentBlock[] = [{ type: 'text', text: words }];
	return holdsMessage(words) ? [...blocks, { type: 'text', text: END }] : blocks;
}
