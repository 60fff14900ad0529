import * as z from 'zod/mini';
import { fileInSnapshot } from '../git/snapshot.ts';
import { TaskName } from '../protocol/names.ts';
import { snapshotOf } from './shared/taskSnapshot.ts';
import { anybody, type Operation } from './operation.ts';

const Input = z.object({
	task: TaskName,
	/** Relative to the workspace folder, with `/`. */
	path: z.string(),
});
/** `undefined` when there was no such file. */
const Output = z.object({ content: z.union([z.instanceof(Buffer), z.undefined()]) });

/** A file of the workspace folder as it was when a task began. */
export const fileAtStart: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'fileAtStart',
	input: Input,
	output: Output,
	permit: anybody,
	run: async (_, { task, path }, { workspace }) => ({
		content: await fileInSnapshot(workspace.folder, await snapshotOf(workspace, task), path),
	}),
};
