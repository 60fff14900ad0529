import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { TaskName } from '../protocol/names.ts';
import type { Operation } from './operation.ts';

const Input = z.object({ task: TaskName, title: z.string() });
const Output = z.object({});

/** Gives a task another title. Its name, its messages and its folder stay. Throws `bad-usage` for an empty title. */
export const renameTask: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'renameTask',
	input: Input,
	output: Output,
	async permit(asker) {
		permit(asker, { is: 'change-tasks', what: 'rename' });
	},
	async run(_, { task, title }, { workspace }) {
		// A row shows one line.
		const line = title.replace(/\s+/g, ' ').trim();
		if (line === '') throw new NancyError('bad-usage', phrase`a task needs a title`);
		await workspace.updateTask(task, record => ({ ...record, title: line }));
		return {};
	},
};
