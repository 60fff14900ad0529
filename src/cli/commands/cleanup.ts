import * as z from 'zod/mini';
import { dataFolder } from '../../base/folders.ts';
import { permit } from '../../core/asker/permit.ts';
import { CleanupOutput } from '../../protocol/output/deployment.ts';
import { parseTaskName } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { betweenAnswers } from '../currentOverview.ts';
import { ExitCode, failureOf } from '../failure.ts';
import { findDeployed, findWorkspace } from '../place.ts';
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
		permit(context.asker, {
			is: 'change-settings',
			command: `nancy cleanup${input.task === undefined ? '' : ` ${input.task}`}`,
		});
		const [{ cleanUp, deployedIn }, { drivers }, { askGit }] = await Promise.all([
			import('../../core/deployment/cleanUp.ts'),
			import('../../drivers/index.ts'),
			import('../../git/askGit.ts'),
		]);
		const data = dataFolder(context.env);
		const workspace =
			input.task === undefined
				? await findDeployed(
						context,
						async candidate => (await deployedIn(candidate, drivers, data)).length > 0,
					)
				: findWorkspace(context);
		const task = input.task === undefined ? undefined : (await workspace.task(parseTaskName(input.task))).name;
		const { changed, warnings, kept, failed, undeployed } = await betweenAnswers(workspace, context, isBusy =>
			cleanUp(workspace, task, drivers, { dataFolder: data, isBusy, askGit }),
		);
		for (const warning of warnings) context.note(warning);
		const failures = failed.map(({ agent, error }) => ({ agent, ...failureOf(error) }));
		for (const { agent, message } of failures) context.note(`${agent} was not cleaned up: ${message}`);
		return answer(
			CleanupOutput,
			{
				folder: workspace.folder,
				changed: [...changed],
				warnings: [...warnings],
				kept: [...kept],
				failed: failures.map(({ agent, code, message }) => ({ agent, code, message })),
				...(task !== undefined && { task }),
			},
			[
				`in ${printableLine(workspace.folder, 1000)}`,
				...(task === undefined ? [] : [`archived ${task}`]),
				...(undeployed ? [] : ['hooks and skills stay: other tasks need them']),
				...(undeployed && changed.length + kept.length + failed.length === 0 ? ['nothing was deployed'] : []),
				...changed.map(file => `took back ${printableLine(file, 1000)}`),
				...kept.map(
					file => `left ${printableLine(file, 1000)}: put a folder in place of the link and clean up again`,
				),
				...failures.map(({ agent }) => `${agent}: failed`),
			],
			failures[0]?.exitCode ?? (kept.length === 0 ? ExitCode.ok : ExitCode.failed),
		);
	},
);
