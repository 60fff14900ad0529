import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { ProjectName } from '../../protocol/memoryNames.ts';
import { command } from '../command.ts';
import { ExitCode } from '../failure.ts';
import type { ProjectDesk } from '../repl.ts';
import { withCancel } from '../withCancel.ts';

const Input = z.object({
	project: ProjectName,
	agent: z.optional(z.string()),
	mode: z.optional(z.enum(['fresh', 'summary', 'full'])),
	permissions: z.optional(z.string()),
});

export const start = command(
	{
		name: 'start',
		summary: 'run tasks one after another, and keep what they teach',
		details: [
			'Each line that you type is a task: an agent runs it without a terminal, and is told what earlier tasks of the project taught. Then one ' +
				'call of the same agent makes notes of it, which you see with /notes. A pasted block is one task. Ctrl-C breaks off a task, and /done ' +
				'ends the session.',
			'Making notes spends quota: one small call for each task, at most 40 a day (config.toml). Risky notes wait for you. For people only.',
		],
		positionals: [{ name: 'project', label: '<project>', help: 'its name; a new one is made', required: true }],
		options: {
			agent: { value: 'AGENT', help: 'the agent; default: the first found' },
			mode: {
				value: 'MODE',
				help: 'what a task is told of the ones before: fresh (notes alone), summary (default), full (continues the conversation)',
			},
			permissions: {
				value: 'MODE',
				help: 'the permission mode, as the agent names it; default: the most careful',
			},
		},
		examples: [['nancy start my-feature --permissions acceptEdits', 'its agent may edit files']],
	},
	Input,
	async ({ project, agent, mode, permissions }, context) => {
		const where = programContext(findOrChooseWorkspace(context), context);
		const begun = await perform(await operations.startProject(), context.asker, { project }, where);
		const { Repl } = await import('../repl.ts');
		const { asker } = context;
		const desk: ProjectDesk = {
			task: async (prompt, options, show, signal) => {
				const input = { project, prompt, permissions, since: begun.nextTask, ...options };
				return perform(await operations.projectTask(), asker, input, { ...where, show, signal });
			},
			extract: async (task, signal) =>
				perform(await operations.extractNotes(), asker, { project, task, again: false }, { ...where, signal }),
			projects: async () => perform(await operations.projects(), asker, { project }, where),
			notes: async () =>
				perform(await operations.projectNotes(), asker, { project, folder: where.workspace.folder }, where),
		};
		const options = { agent: agent ?? begun.agent, mode: mode ?? begun.mode, resume: undefined };
		await withCancel(signal => new Repl(context, desk, options, project).run(signal));
		return ExitCode.ok;
	},
);
