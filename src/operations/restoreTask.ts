import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { TaskName } from '../protocol/names.ts';
import type { TaskRecord } from '../protocol/records.ts';
import type { Operation } from './operation.ts';

const Input = z.object({ task: TaskName });
const Output = z.object({});

/** Brings an archived task back. */
export const restoreTask: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'restoreTask',
	input: Input,
	output: Output,
	async permit(asker) {
		permit(asker, { is: 'change-tasks', what: 'restore' });
	},
	async run(_, { task }, { workspace }) {
		await workspace.updateTask(task, restored);
		return {};
	},
};

/** The task's record without the mark of the archive. */
export function restored({ archivedAt: _back, ...record }: TaskRecord): TaskRecord {
	return record;
}
