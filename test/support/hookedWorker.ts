import { Workspace, type WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import type { TaskRecord } from '../../src/protocol/records.ts';
import { addBoundWorker, type BoundWorker } from './boundWorker.ts';
import { hookRuntime } from './runtime.ts';
import { taskRecord } from './taskRecord.ts';

/** The mailbox of {@link hookedWorker}. */
export const address: WorkerAddress = { task: TaskName.parse('build'), worker: FIRST_WORKER };

/** What a test of the hook program begins with: the launcher, and a task whose worker is in a session that will fire hooks. */
export async function hookedWorker(
	folder: string,
	worker: BoundWorker,
	task: Partial<TaskRecord> = {},
): Promise<{ workspace: Workspace; launcher: string }> {
	const launcher = await hookRuntime();
	const workspace = new Workspace(folder);
	await workspace.createTask(taskRecord(address.task, worker.agent, task));
	await addBoundWorker(workspace, address, worker);
	return { workspace, launcher };
}
