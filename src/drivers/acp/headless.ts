import * as z from 'zod/mini';
import { phrase } from '../../base/phrase.ts';
import type { Driver } from '../../core/driver/driver.ts';
import type { HeadlessEvent, HeadlessFormat } from '../../core/driver/headless.ts';
import { SessionId } from '../../protocol/names.ts';
import { ASK_ME, refuseUnheld } from '../askMe.ts';
import { knownLine } from '../stream.ts';
import { withPermissions } from './launch.ts';

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

/** @param launch the words with which the same agent is talked with in a terminal */
export function headlessBy(launch: Driver['launch']): HeadlessFormat {
	return {
		permissionModes: [
			{
				id: 'configured',
				label: phrase`As Configured`,
				detail: phrase`What its own settings let it do without a question, which may be everything; what it asks for is denied.`,
				width: 0,
			},
			{
				id: ASK_ME,
				label: phrase`Ask me`,
				detail: phrase`What its own settings let it do without a question, which may be everything; what it asks for waits for your answer, and is denied if its time ends first.`,
				width: 0,
				asks: true,
			},
		],
		settingsFrom: 'none',
		beside: 'What it does without a question, its own settings say: Nancy knows none of them, and denies only what it asks.',
		launch: ({ permissions, prompt, ...conversation }) => {
			refuseUnheld(permissions, conversation.hooks);
			const talk = launch({ ...conversation, fork: undefined, prompt: undefined, title: '' });
			return { ...talk, args: withPermissions(talk.args, permissions), stdin: inWords(prompt) };
		},
		reader: () => ({ read, end: () => [] }),
	};
}

/** A prompt that begins with a slash would be a command of the agent's own. opencode and Copilot CLI leave spaces before it out. */
function inWords(prompt: string): string {
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
