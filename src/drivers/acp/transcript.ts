import type { TranscriptFormat } from '../../core/driver/transcript.ts';
import { ConversationLine } from '../../protocol/conversationRecord.ts';
import { addTexts } from '../transcripts.ts';

/** Nancy's own record. It has nothing of what the agent says. */
export const transcript: TranscriptFormat = {
	words: 'none',
	keepsDelivery: () => true,
	isNancys: true,
	fold(before, value) {
		const line = ConversationLine.safeParse(value);
		if (!line.success) return before;
		const { at, read, usage } = line.data;
		// The first line was written before anything was handed over. If the record is another one than that of a delivery, it knows nothing of it.
		const known = { ...before, beginsAt: before.beginsAt ?? at };
		if (read !== undefined) return addTexts(known, [read]);
		const used = usage && {
			contextTokens: usage.used,
			contextWindow: usage.size || undefined,
			costUsd: usage.costUsd ?? before.costUsd,
		};
		return { ...known, ...used, turnOverAt: at, lastReply: at };
	},
};
