import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { TasksDeletedOutput } from '../../protocol/output/tasks.ts';
import { parseTaskName } from '../../operations/shared/addresses.ts';
import { answer, command } from '../command.ts';

const Input = z.object({
	tasks: z._default(z.array(z.string()), []),
	found: z._default(z.boolean(), false),
	'older-than': z.optional(z.string().check(z.regex(/^\d{1,6}[dh]$/))),
});

const HOUR_MS = 60 * 60 * 1000;

export const deleteTasks = command(
	{
		name: 'delete',
		summary: 'delete tasks with their messages, or all found ones that have ended',
		details: [
			'A task goes with its mailboxes and receipts; the conversations stay with the agent. Its agents must be stopped before. ' +
				'This cannot be undone, and an agent may not do it.',
			'With --found: every task that nobody started with Nancy (a one-shot run of an agent leaves one) whose agents have ended and in ' +
				'whose mailboxes there is no message. Nancy does the same by itself two weeks after their last event.',
		],
		positionals: [{ name: 'tasks', label: '<task>', help: 'what to delete', required: false, many: true }],
		options: {
			found: { help: 'all found tasks that have ended and have no message' },
			'older-than': {
				value: 'TIME',
				help: 'with --found: only those of which nothing was heard for so long, for example 7d or 12h',
				expects: 'a number of days or hours: 7d, 12h',
			},
		},
		examples: [
			['nancy delete fix-login', 'deletes one task'],
			['nancy delete --found --older-than 7d', 'takes what scripts left last week out of the list'],
		],
	},
	Input,
	async ({ tasks, found, 'older-than': olderThan }, context) => {
		if (found === tasks.length > 0 || (!found && olderThan !== undefined))
			throw new NancyError('bad-usage', 'say what to delete: the names of tasks, or --found');
		const where = programContext(findWorkspace(context), context);
		const named = { tasks: [...new Set(tasks.map(parseTaskName))] };
		const silent = { silentForMs: hoursOf(olderThan) * HOUR_MS };
		const done = found
			? await perform(await operations.deleteFoundTasks(), context.asker, silent, where)
			: await perform(await operations.deleteTasks(), context.asker, named, where);
		return answer(
			TasksDeletedOutput,
			done,
			done.deleted.length === 0 ? 'no found task has ended' : done.deleted.map(task => `deleted ${task}`),
		);
	},
);

function hoursOf(time = '0h'): number {
	return Number(time.slice(0, -1)) * (time.endsWith('d') ? 24 : 1);
}
