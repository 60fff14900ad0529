import * as z from 'zod/mini';
import type { HeadlessEvent, HeadlessReader } from '../core/driver/headless.ts';
import { SessionId } from '../protocol/names.ts';
import { knownLine } from './stream.ts';

/** What Nancy's own program tells of a run: each line but a sign of life is one of these events. */
const Line = z.lazy(() =>
	z.discriminatedUnion('is', [
		z.object({ is: z.literal('session'), session: SessionId }),
		z.object({ is: z.literal('text'), text: z.string() }),
		z.object({ is: z.literal('tool'), tool: z.string(), summary: z.optional(z.string()) }),
		z.object({ is: z.literal('tool-failed'), reason: z.string() }),
		z.object({ is: z.literal('alive') }),
		z.object({ is: z.literal('denied'), tool: z.string(), reason: z.string() }),
		z.object({ is: z.literal('result'), text: z.string(), failure: z.optional(z.string()) }),
	]),
);
export type TalkLine = z.infer<typeof Line>;

/** Reads them. */
export const talkReader: HeadlessReader = { read, end: () => [] };

/** A prompt that begins with a slash would be a command of the agent's own. Some leave spaces before it out. */
export function asWords(prompt: string): string {
	return /^\s*\//.test(prompt) ? `The task: ${prompt}` : prompt;
}

function read(text: string): readonly HeadlessEvent[] {
	const line = knownLine(Line, text);
	if (line?.is === 'alive') return [];
	if (line?.is !== 'result') return line ? [line] : [];
	const result = { text: line.text, inputTokens: undefined, outputTokens: undefined, costUsd: undefined };
	// Nobody knows what another try would do: its tools have run.
	const failure = line.failure === undefined ? undefined : { reason: line.failure, kind: 'final' as const };
	return [{ is: 'result', result: { ...result, failure } }];
}
