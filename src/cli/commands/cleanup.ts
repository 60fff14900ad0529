import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { CleanupOutput } from '../../protocol/output/deployment.ts';
import { parseTaskName } from '../../operations/shared/addresses.ts';
import { answer, command } from '../command.ts';
import { ExitCode, exitCodeFor } from '../failure.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findDeployed, findWorkspace } from '../../operations/shared/place.ts';
import { printableLine } from '../words.ts';

const Input = z.object({ task: z.optional(z.string()) });

export const cleanup = command(
	{
		name: 'cleanup',
		summary: 'take back what was deployed, for the workspace or after one task',
		details: [
			"Without a task: Nancy's entries go out of the agents' settings, and its skills; a file that nobody else has changed is " +
				'byte for byte what it was. Also where .nancy was removed by hand. With a task: that task is archived, and when no other is left, the same is done. Messages ' +
				'and records stay in .nancy. Agents that Nancy started and that run must be stopped before; without a task, a session that you started ' +
				'yourself does not hold it up, and neither listens nor reports any more.',
		],
		positionals: [{ name: 'task', label: '<task>', help: 'archive this task', required: false }],
		options: {},
		examples: [['nancy cleanup', 'leaves the workspace as it was before nancy setup']],
	},
	Input,
	async (input, context) => {
		const workspace = input.task === undefined ? await findDeployed(context) : findWorkspace(context);
		const done = await perform(
			await operations.cleanUp(),
			context.asker,
			{ ...(input.task !== undefined && { task: parseTaskName(input.task) }) },
			programContext(workspace, context),
		);
		const { task, changed, warnings, kept, failed, undeployed } = done;
		for (const warning of warnings) context.note(warning);
		for (const { agent, message } of failed) context.note(`${agent} was not cleaned up: ${String(message)}`);
		return answer(
			CleanupOutput,
			done,
			[
				`in ${printableLine(workspace.folder, 1000)}`,
				...(task === undefined ? [] : [`archived ${task}`]),
				...(undeployed ? [] : ['hooks and skills stay: other tasks need them']),
				...(undeployed && changed.length + kept.length + failed.length === 0 ? ['nothing was deployed'] : []),
				...changed.map(file => `took back ${printableLine(file, 1000)}`),
				...kept.map(
					file => `left ${printableLine(file, 1000)}: put a folder in place of the link and clean up again`,
				),
				...failed.map(({ agent }) => `${agent}: failed`),
			],
			failed[0] ? exitCodeFor(failed[0].code) : kept.length === 0 ? ExitCode.ok : ExitCode.failed,
		);
	},
);
