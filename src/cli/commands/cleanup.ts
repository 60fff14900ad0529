import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { isRunning } from '../../core/launch.ts';
import type { Workspace } from '../../core/workspace.ts';
import { CleanupOutput } from '../../protocol/cliOutput.ts';
import type { TaskName } from '../../protocol/names.ts';
import { parseTaskName } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { findWorkspace, mailboxName } from '../place.ts';
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
		await refuseRunning(workspace, task);
		if (task !== undefined) {
			await workspace.updateTask(task, record => ({ archivedAt: new Date().toISOString(), ...record }));
		}
		const isLast = task === undefined || !(await hasOpenTask(workspace));
		const { changed, warnings } = isLast ? await undeployAll(workspace) : { changed: [], warnings: [] };
		for (const warning of warnings) context.note(warning);
		return answer(
			CleanupOutput,
			{ folder: workspace.folder, changed, warnings, ...(task !== undefined && { task }) },
			[
				...(task === undefined ? [] : [`archived ${task}`]),
				...(isLast ? [] : ['hooks and skills stay: other tasks need them']),
				...(isLast && changed.length === 0 ? ['nothing was deployed'] : []),
				...changed.map(file => `took back ${printableLine(file, 1000)}`),
			],
		);
	},
);

async function undeployAll(workspace: Workspace): Promise<{ changed: string[]; warnings: string[] }> {
	const { undeploy } = await import('../../core/deployment/deploy.ts');
	const changed: string[] = [];
	const warnings: string[] = [];
	for (const { driver } of (await workspace.config()).deployments) {
		const result = await undeploy(workspace, driver);
		changed.push(...result.changed);
		warnings.push(...result.warnings);
	}
	return { changed, warnings };
}

/** Without its hooks a running agent would hear and say nothing any more. */
async function refuseRunning(workspace: Workspace, task: TaskName | undefined): Promise<void> {
	const { tasks } = await workspace.tasks();
	// A session that the user started alone must not keep the user from taking Nancy away.
	const own = tasks.filter(({ name, origin }) => (task === undefined ? origin === 'nancy' : name === task));
	for (const { name } of own) {
		const running = (await workspace.workers(name)).workers.find(isRunning);
		if (!running) continue;
		const worker = mailboxName({ task: name, worker: running.name });
		throw new NancyError('busy', `${worker} is running; end it first: nancy stop ${worker}`);
	}
}

/** A session that Nancy only found keeps nothing deployed once it has ended. */
async function hasOpenTask(workspace: Workspace): Promise<boolean> {
	for (const { name, origin, archivedAt } of (await workspace.tasks()).tasks) {
		if (archivedAt === undefined && origin === 'nancy') return true;
		if ((await workspace.workers(name)).workers.some(isRunning)) return true;
	}
	return false;
}
