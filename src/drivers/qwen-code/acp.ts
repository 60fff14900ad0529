import * as z from 'zod/mini';
import type { AcpAgent } from '../../core/driver/acp.ts';
import { approvalModeIn, readWords } from '../conversation.ts';
import { knownLine } from '../stream.ts';
import { BROKEN_OFF } from './payloads.ts';

const BATCH_END = 'PostToolBatch';

/** See answers.ts. */
const Output = z.object({ hookSpecificOutput: z.object({ additionalContext: z.string() }) });

const Meta = z.object({ toolName: z.string() });

/** `qwen --acp`. Its options hold there too, but for those of a session and a prompt, which the protocol brings. */
export const acp: AcpAgent = {
	read: readWords,
	modeIn: approvalModeIn,
	// What its model asks stands in the input alone, and a Yes would submit no answer.
	noYes: ['ask_user_question'],
	toolOf: ({ _meta }) => Meta.safeParse(_meta).data?.toolName,
	sessions: 'own',
	// Seen with 0.24.4: it fires no PostToolBatch when it is talked with, and pulls right there.
	steering: {
		method: 'craft/drainMidTurnQueue',
		event: BATCH_END,
		payload: (session, cwd) => ({ session_id: session, cwd, hook_event_name: BATCH_END, tool_calls: [] }),
		words: printed => knownLine(Output, printed)?.hookSpecificOutput.additionalContext,
	},
	brokenOff: {
		event: BROKEN_OFF,
		payload: (session, cwd, error) => ({ session_id: session, cwd, hook_event_name: BROKEN_OFF, error }),
		isAfterNo: true,
	},
	silent: 'none',
	// Seen with 0.24.4: it tells the end of a session, and would seem to be over for ever.
	resumed: (session, cwd) => ({
		event: 'SessionStart',
		slot: 'program',
		payload: { session_id: session, cwd, hook_event_name: 'SessionStart', source: 'resume' },
	}),
	turns: 'none',
};
