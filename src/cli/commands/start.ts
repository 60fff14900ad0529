import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { ProjectName } from '../../protocol/memoryNames.ts';
import { command } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { resetTerminal } from '../terminalModes.ts';

const Input = z.object({
	project: ProjectName,
	agent: z.optional(z.string()),
	mode: z.optional(z.enum(['fresh', 'summary', 'full'])),
	permissions: z.optional(z.string()),
	task: z.optional(z.string()),
});

export const start = command(
	{
		name: 'start',
		summary: 'run tasks one after another, and keep what they teach',
		details: [
			'Each line that you type is a task: an agent runs it without a terminal, and is told what earlier tasks of the project taught. Then one ' +
				'call makes notes of it, which you see with /notes: of the same agent, or of extraction.agent in config.toml. A pasted block is one ' +
				'task. Ctrl-C breaks off a task, /interactive opens the agent itself for one, and /done ends the session.',
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
			task: { value: 'PROMPT', help: 'the first task' },
		},
		examples: [['nancy start my-feature --permissions acceptEdits', 'its agent may edit files']],
	},
	Input,
	async ({ project, agent, mode, permissions, task: first }, context) => {
		const where = programContext(findOrChooseWorkspace(context), context);
		const { knownDriver } = await import('../../operations/shared/agents.ts');
		const { runSession } = await import('../projectProgram.ts');
		await runSession({ project, agent, mode, first }, context, where, {
			require: named => void knownDriver(named),
			task: async (asked, show, signal) => {
				const input = { ...asked, project, permissions };
				return perform(await operations.projectTask(), context.asker, input, { ...where, show, signal });
			},
			interactive: async (asked, signal) => {
				const { runWorker } = await import('../runWorker.ts');
				const inTerminal = async (plan: Parameters<typeof runWorker>[1]) => {
					const code = await runWorker(where.workspace, plan);
					if (code !== 0) resetTerminal();
					return code;
				};
				const input = { ...asked, project, permissions };
				const operation = await operations.interactiveTask();
				return perform(operation, context.asker, input, { ...where, inTerminal, signal });
			},
			extract: async (task, signal) => {
				const input = { project, task, again: false };
				return perform(await operations.extractNotes(), context.asker, input, { ...where, signal });
			},
		});
		return ExitCode.ok;
	},
);
