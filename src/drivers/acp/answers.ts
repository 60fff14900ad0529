import * as z from 'zod/mini';
import type { Delivery, HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { handedOver, wordsWithPause } from '../answers.ts';
import { knownLine } from '../stream.ts';

const Output = z.object({ words: z.string() });

/** For Nancy's own program: the words go with the prompt, or are the next one, or come between two steps of a turn. */
export function deliveryAnswer(event: AgentEvent, delivery: Delivery): HookAnswer {
	const answer = handedOver(event, { words: wordsWithPause(delivery) } satisfies z.infer<typeof Output>);
	const isBetweenSteps = event.kind === 'tool-end' || event.kind === 'tool-failed';
	if (isBetweenSteps) return { ...answer, rung: 'steer' };
	return answer.rung === 'hook' ? { ...answer, rung: 'prompt' } : answer;
}

/** The words of such an answer; `undefined` if nothing was handed over, or not all of it has come. */
export function wordsIn(printed: string): string | undefined {
	return knownLine(Output, printed)?.words;
}
