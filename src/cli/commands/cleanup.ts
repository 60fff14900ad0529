import * as z from 'zod/mini';
import { CleanupOutput } from '../../protocol/cliOutput.ts';
import { parseTaskName } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { findWorkspace } from '../place.ts';
import { printableLine } from '../words.ts';

const Input = z.object({ task: z.optional(z.string()) });

export const cleanup = command(
	{
		name: 'cleanup',
		summary: 'take back what was deployed, for the workspace or after one task',
		details: [
			"Without a task: Nancy's entries go out of the agents' settings, and its skills; a file that nobody else has changed is " +
				'byte for byte what it was. With a task: that task is archived, and when no other is left, the same is done. Messages ' +
				'and records stay in .nancy. Agents that run must be stopped before.',
		],
		positionals: [{ name: 'task', label: '<task>', help: 'archive this task', required: false }],
		options: {},
		examples: [['nancy cleanup', 'leaves the workspace as it was before nancy setup']],
	},
	Input,
	async (input, context) => {
		const workspace = findWorkspace(context);
		const task = input.task === undefined ? undefined : (await workspace.task(parseTaskName(input.task))).name;
		const [{ cleanUp }, { drivers }] = await Promise.all([
			import('../../core/deployment/cleanUp.ts'),
			import('../../drivers/index.ts'),
		]);
		const { changed, warnings, undeployed } = await cleanUp(workspace, task, drivers);
		for (const warning of warnings) context.note(warning);
		return answer(
			CleanupOutput,
			{
				folder: workspace.folder,
				changed: [...changed],
				warnings: [...warnings],
				...(task !== undefined && { task }),
			},
			[
				...(task === undefined ? [] : [`archived ${task}`]),
				...(undeployed ? [] : ['hooks and skills stay: other tasks need them']),
				...(undeployed && changed.length === 0 ? ['nothing was deployed'] : []),
				...changed.map(file => `took back ${printableLine(file, 1000)}`),
			],
		);
	},
);
