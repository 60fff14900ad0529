import { hasCode } from '../../base/errors.ts';
import { TaskName, type DriverId } from '../../protocol/names.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The task of delegates that no task has asked for. */
export const OWN_TASK = TaskName.parse('delegates');

/** {@link OWN_TASK}, made if it is missing. */
export async function ownTask(workspace: Workspace, agent: DriverId): Promise<TaskName> {
	try {
		await workspace.createTask({
			version: 1,
			name: OWN_TASK,
			title: 'Delegates',
			prompt: '',
			agent,
			createdAt: new Date().toISOString(),
			origin: 'nancy',
		});
	} catch (error) {
		if (!hasCode(error, 'task-exists')) throw error;
	}
	return OWN_TASK;
}
