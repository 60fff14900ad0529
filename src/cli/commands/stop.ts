import * as z from 'zod/mini';
import { isRunning, recordStop } from '../../core/driver/launch.ts';
import type { WorkerAddress, Workspace } from '../../core/workspace/workspace.ts';
import type { StopOutcome } from '../../process/stopTree.ts';
import { StopOutput } from '../../protocol/output/tasks.ts';
import { resolveWorkers } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { findWorkspace } from '../place.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';

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
		const workers = await Promise.all(
			addresses.map(async address => ({
				worker: mailboxName(address),
				outcome: await stopWorker(workspace, address),
			})),
		);
		return answer(
			StopOutput,
			{ workers },
			workers.map(({ worker, outcome }) => `${worker} ${words[outcome]}`),
		);
	},
);

async function stopWorker(workspace: Workspace, address: WorkerAddress): Promise<StopOutcome> {
	const record = await workspace.worker(address);
	if (!record?.process || !isRunning(record)) return 'not-running';
	// Noted first, so that nobody takes its end for a crash.
	await recordStop(workspace, address);
	const { stopTree } = await import('../../process/stopTree.ts');
	return stopTree(record.process);
}
