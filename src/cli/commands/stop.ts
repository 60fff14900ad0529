import * as z from 'zod/mini';
import { Delegates } from '../../core/delegates/delegates.ts';
import type { StopOutcome } from '../../process/stopTree.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import { StopOutput } from '../../protocol/output/tasks.ts';
import { resolveWorkers } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { permitDelegate } from '../permitDelegate.ts';
import { findWorkspace, mailboxName } from '../place.ts';

const Input = z.object({ of: z.string() });

const words: Readonly<Record<StopOutcome, string>> = {
	stopped: 'stopped',
	killed: 'killed: it, or a program it had started, did not end when asked',
	'not-running': 'was not running',
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
		const addresses = await resolveWorkers(workspace, context.asker, input.of);
		const [{ stopWorker }, { driverById }, { ticketsOf }] = await Promise.all([
			import('../../delegates/stopWorker.ts'),
			import('../../drivers/index.ts'),
			import('../queue.ts'),
		]);
		const tickets = ticketsOf(context, workspace);
		const permit = (id: DelegateId) => permitDelegate('stop-delegate', new Delegates(workspace), id, context);
		// One that cannot be stopped holds up no other.
		const ends = await Promise.allSettled(
			addresses.map(async address => ({
				worker: mailboxName(address),
				outcome: await stopWorker(workspace, address, { tickets, driverOf: driverById, permit }),
			})),
		);
		const workers = ends.map(end => {
			if (end.status === 'rejected') throw end.reason;
			return end.value;
		});
		return answer(
			StopOutput,
			{ workers },
			workers.map(({ worker, outcome }) => `${worker} ${words[outcome]}`),
		);
	},
);
