import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { SessionHistoryOutput, SessionsOutput } from '../../protocol/output/sessions.ts';
import { resolveAddress } from '../../operations/shared/addresses.ts';
import { answer, command } from '../command.ts';
import { ago, printableLine } from '../words.ts';

const Input = z.object({ of: z.optional(z.string()), show: z.optional(z.string()) });

export const sessions = command(
	{
		name: 'sessions',
		summary: "list the agents' sessions, or show one in short",
		details: [
			'In a terminal that Nancy started those of the own task, elsewhere those of the whole workspace. --show tells a ' +
				"session in short lines: prompts, tools, messages, answers. The agent's own transcript, where it keeps one, is named.",
		],
		positionals: [{ name: 'of', label: '<task>[/<worker>]', help: 'only this task or worker', required: false }],
		options: { show: { value: 'SESSION', help: 'show this session; the beginning of its id is enough' } },
		examples: [['nancy sessions fix-login', 'who worked on it, and since when']],
	},
	Input,
	async ({ of, show }, context) => {
		const workspace = findWorkspace(context);
		const where = programContext(workspace, context);
		const input = of === undefined ? {} : { of: await resolveAddress(workspace, context.asker, of) };
		const { sessions: known } = await perform(await operations.sessions(), context.asker, input, where);
		if (show === undefined) {
			return answer(
				SessionsOutput,
				{ sessions: known },
				known.length === 0 ? 'no sessions' : known.flatMap(sessionLines),
			);
		}
		const history = await perform(await operations.sessionHistory(), context.asker, { session: show }, where);
		if (history.entries.length === 0) context.note('nothing is recorded of this session');
		return answer(SessionHistoryOutput, history, historyLines(history));
	},
);

function sessionLines({
	session,
	worker,
	agent,
	startedAt,
	current,
	transcript,
}: z.infer<typeof SessionsOutput>['sessions'][number]): string[] {
	const heading = `${worker}  ${session}  ${agent}, started ${ago(startedAt)}${current ? '' : ', earlier'}`;
	return [heading, ...(transcript === undefined ? [] : [`  ${printableLine(transcript, 1000)}`])];
}

function historyLines({ session, worker, transcript, entries }: SessionHistoryOutput): string[] {
	return [
		`${worker}  ${session}`,
		...(transcript === undefined ? [] : [`transcript: ${printableLine(transcript, 1000)}`]),
		...entries.map(({ at, what, text }) => `${at.slice(0, 19).replace('T', ' ')}  ${what.padEnd(7)}  ${text}`),
	];
}
