import * as z from 'zod/mini';
import { changesSinceSnapshot } from '../git/snapshot.ts';
import { TaskName } from '../protocol/names.ts';
import { Changes } from './shared/changes.ts';
import { snapshotOf } from './shared/taskSnapshot.ts';
import { anybody, type Operation } from './operation.ts';

const Input = z.object({ task: TaskName });

/** The changes in the workspace folder since a task began there, whoever made them. Paths are relative to the folder. */
export const taskChanges: Operation<z.infer<typeof Input>, Changes> = {
	name: 'taskChanges',
	input: Input,
	output: Changes,
	permit: anybody,
	run: async (_, { task }, { workspace }) =>
		changesSinceSnapshot(workspace.folder, await snapshotOf(workspace, task)),
};
