import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { WaitOutput, type MessageOutput } from '../../protocol/output/messages.ts';
import { resolveAddress } from '../../operations/shared/addresses.ts';
import { answer, command } from '../command.ts';
import { authorText, printableLine } from '../words.ts';

const Input = z.object({
	of: z.string(),
	until: z.enum(['idle', 'stop', 'message']),
	timeout: z.optional(z.string().check(z.regex(/^\d{1,7}(?:\.\d+)?$/))),
});

export const wait = command(
	{
		name: 'wait',
		summary: 'wait until agents are idle, have ended, or have written',
		details: [
			'idle: every worker meant has nothing to do and no message waiting (or has ended). stop: every one has ended. message: a message from the ' +
				'task waits for the caller: in the inbox of the human, or in a terminal that Nancy started in the own mailbox.',
			'Returns at once when it is so already. Exit code 4 says that it was not so in time.',
		],
		positionals: [
			{ name: 'of', label: '<task>[/<worker>]', help: 'one worker, or all of the task', required: true },
		],
		options: {
			until: { value: 'WHAT', help: 'idle, stop or message' },
			timeout: {
				value: 'SECONDS',
				help: 'give up after this time; without it, wait for ever',
				expects: 'use a number of seconds, for example 600',
			},
		},
		examples: [
			['nancy wait fix-login --until idle --timeout 600', 'at most ten minutes'],
			['nancy wait fix-login --until message && nancy inbox fix-login/orchestrator', 'reads what an agent asks'],
		],
	},
	Input,
	async ({ of, until, timeout }, context) => {
		const workspace = findWorkspace(context);
		const input = {
			of: await resolveAddress(workspace, context.asker, of),
			until,
			...(timeout !== undefined && { timeoutMs: Number(timeout) * 1000 }),
		};
		const where = programContext(workspace, context);
		const reached = await perform(await operations.wait(), context.asker, input, where);
		return answer(
			WaitOutput,
			reached,
			until === 'message'
				? reached.messages.map(messageLine)
				: reached.workers.map(({ worker, phase }) => `${worker} ${phase}`),
		);
	},
);

function messageLine({ id, text, author }: MessageOutput): string {
	return `${id}  from ${printableLine(authorText(author))}: ${printableLine(text)}`;
}
