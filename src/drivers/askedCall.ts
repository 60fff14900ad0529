import * as z from 'zod/mini';
import { changedLines, GAP, lineDiff } from '../base/lineDiff.ts';
import { ASKS_PERMISSION } from '../core/driver/acp.ts';
import type { HookAnswer, HookCall } from '../core/driver/hooks.ts';
import { ASKS_ON_SCREEN } from '../core/driver/screenStates.ts';
import { isYes } from '../core/questions/reply.ts';
import type { Answer } from '../protocol/question.ts';
import { printed } from './answers.ts';

/** Unchanged lines around a change. */
const AROUND = 3;

/** What a permission question of the Agent Client Protocol says of its call. */
export const CallContent = z.looseObject({
	type: z.string(),
	content: z.optional(z.looseObject({ text: z.optional(z.string()) })),
	path: z.optional(z.string()),
	oldText: z.optional(z.nullable(z.string())),
	newText: z.optional(z.string()),
});

/** A change as Git would show it, without names. */
export function diffOf(before: string, after: string): string {
	const lines = changedLines(lineDiff(before, after), AROUND);
	return lines.map(line => (line === GAP ? '@@' : line.replace(/^(.) /, '$1'))).join('\n');
}

/** The answer of a person, by the kind of the option to choose. */
export function answerByKind({ event }: HookCall, { effect }: Answer): HookAnswer {
	if (event !== ASKS_PERMISSION && event !== ASKS_ON_SCREEN) throw new Error(`${event} asks nothing`);
	return printed({ kind: isYes(effect) ? 'allow_once' : 'reject_once' });
}
