import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { ProjectName } from '../../protocol/memoryNames.ts';
import { command } from '../command.ts';
import { withCancel } from '../withCancel.ts';

const Input = z.object({
	project: ProjectName,
	task: z.optional(z.coerce.number().check(z.int(), z.positive())),
	again: z._default(z.boolean(), false),
});

export const extract = command(
	{
		name: 'extract',
		summary: 'make the notes of a task that has none yet',
		details: [
			'One call of your own agent, without tools, hooks and workspace, on what Nancy has recorded. nancy start does it by itself after each ' +
				'task. This is for one that failed, or was killed.',
		],
		positionals: [
			{ name: 'project', label: '<project>', help: 'the project', required: true },
			{
				name: 'task',
				label: '<task>',
				help: 'number of the task; default: the oldest that is due',
				required: false,
			},
		],
		options: { again: { help: "with a task's number: also if it was extracted or skipped" } },
		examples: [['nancy extract my-feature 4 --again', 'asks once more about task 4']],
	},
	Input,
	async (input, context) => {
		const operation = await operations.extractNotes();
		const where = programContext(findOrChooseWorkspace(context), context);
		const done = await withCancel(signal => perform(operation, context.asker, input, { ...where, signal }));
		const { extracted } = await import('../projectProgram.ts');
		return extracted(done);
	},
);
