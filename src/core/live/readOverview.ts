import type { Driver } from '../driver/driver.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { WorkspaceModel, type ModelOptions } from './model.ts';
import type { Overview } from './overview.ts';

/**
 * The present content of the disk, with the spool collected and the mailboxes kept if nobody else does it. For commands: nothing goes on
 * afterwards.
 */
export async function readOverview(
	workspace: Workspace,
	drivers: readonly Driver[],
	options: Pick<ModelOptions, 'ask' | 'readOnly'> = {},
): Promise<Overview> {
	const model = new WorkspaceModel(workspace, drivers, { ...options, once: true });
	try {
		await model.refresh();
		return model.overview();
	} finally {
		await model.close();
	}
}
