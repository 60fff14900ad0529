import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { TaskName } from '../protocol/names.ts';
import { forgetSnapshots } from './shared/taskSnapshot.ts';
import type { Operation } from './operation.ts';

const Input = z.object({ task: TaskName });
const Output = z.object({});

/** Puts a task away, without the snapshot of its beginning. What was deployed for it stays: see `cleanUp`. */
export const archiveTask: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'archiveTask',
	input: Input,
	output: Output,
	async permit(asker) {
		permit(asker, { is: 'change-tasks', what: 'archive' });
	},
	async run(_, { task }, { workspace }) {
		const archivedAt = new Date().toISOString();
		await workspace.updateTask(task, record => ({ ...record, archivedAt }));
		await forgetSnapshots(workspace, [task]);
		return {};
	},
};
