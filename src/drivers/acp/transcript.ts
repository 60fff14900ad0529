import type { TranscriptFormat } from '../../core/driver/transcript.ts';
import { ConversationLine } from '../../protocol/conversationRecord.ts';
import { addTexts } from '../transcripts.ts';

/** Nancy's own record. It has nothing of what the agent says. */
export const transcript: TranscriptFormat = {
	words: 'none',
	keepsDelivery: () => true,
	fold(known, value) {
		const line = ConversationLine.safeParse(value);
		if (!line.success) return known;
		const { at, read } = line.data;
		return read === undefined ? { ...known, turnOverAt: at, lastReply: at } : addTexts(known, [read]);
	},
};
