import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { StopOutput } from '../../protocol/output/tasks.ts';
import { resolveWorkers } from '../../operations/shared/addresses.ts';
import { answer, command } from '../command.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findWorkspace } from '../../operations/shared/place.ts';

const Input = z.object({ of: z.string() });

const words: Readonly<Record<StopOutput['workers'][number]['outcome'], string>> = {
	stopped: 'stopped',
	killed: 'killed: it, or a program it had started, did not end when asked',
	'not-running': 'was not running',
	elsewhere: 'counts as stopped: it was started on another machine or in a container; if it still runs, end it there',
};

export const stop = command(
	{
		name: 'stop',
		summary: 'end the agents of a task',
		details: [
			'The agent is asked to end (SIGTERM); after three seconds it is killed, with every program it had started. Its ' +
				'messages and its session stay: nancy orchestrate <task> --resume goes on with the same conversation.',
			'A delegate is ended by its runner, as by nancy delegates <id> --stop. A process that is not known to be the agent is not ended.',
		],
		positionals: [
			{ name: 'of', label: '<task>[/<worker>]', help: 'one worker, or all of the task', required: true },
		],
		options: {},
		examples: [['nancy stop fix-login/worker-2', 'ends one agent and leaves the others']],
	},
	Input,
	async (input, context) => {
		const workspace = findWorkspace(context);
		const done = await perform(
			await operations.stop(),
			context.asker,
			{ workers: await resolveWorkers(workspace, context.asker, input.of) },
			programContext(workspace, context),
		);
		return answer(
			StopOutput,
			done,
			done.workers.map(({ worker, outcome }) => `${worker} ${words[outcome]}`),
		);
	},
);
