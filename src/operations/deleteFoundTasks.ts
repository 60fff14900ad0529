import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { deleteFoundTasks as deleteFound } from '../core/live/foundTasks.ts';
import { TasksDeletedOutput } from '../protocol/output/tasks.ts';
import type { Operation } from './operation.ts';

const Input = z.object({
	/** Only those of which nothing was heard for so long. */
	silentForMs: z.number().check(z.nonnegative()),
});

/** Deletes tasks that nobody started with Nancy, if their agents have ended and their mailboxes hold no message. */
export const deleteFoundTasks: Operation<z.infer<typeof Input>, z.infer<typeof TasksDeletedOutput>> = {
	name: 'deleteFoundTasks',
	input: Input,
	output: TasksDeletedOutput,
	async permit(asker) {
		permit(asker, { is: 'change-tasks', what: 'delete' });
	},
	async run(_asker, { silentForMs }, { workspace, look }) {
		const { tasks: before } = await workspace.tasks();
		// The look itself deletes those that are due.
		const { tasks } = await look();
		await deleteFound(workspace, tasks, Date.now() - silentForMs);
		const left = new Set((await workspace.tasks()).tasks.map(({ name }) => name));
		return { deleted: before.map(({ name }) => name).filter(name => !left.has(name)) };
	},
};
