import { join } from 'node:path';
import type { AskingAgent } from '../../src/core/asker/asker.ts';
import type { WorkerAddress, Workspace } from '../../src/core/workspace/workspace.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import type { TempFolder } from './tempFolder.ts';

/** For operations that start no program of Nancy's. The user's data is in `data`, programs are in `bin`. */
export function contextOf(
	folder: Pick<TempFolder, 'path' | 'file'>,
	workspace: Workspace,
	more: Partial<OperationContext> = {},
): OperationContext {
	return {
		workspace,
		dataFolder: folder.file('data'),
		env: { HOME: folder.path, PATH: `${folder.file('bin')}:/usr/bin:/bin` },
		isTrusted: true,
		settings: { hooks: undefined, tokenThreshold: undefined },
		readSettings: () => Promise.resolve({}),
		installRuntime: () => Promise.reject(new Error('nothing is installed in this test')),
		look: () => Promise.resolve({ tasks: [], problems: [] }),
		watch: work => work({ overview: () => ({ tasks: [], problems: [] }), changed: () => Promise.resolve() }),
		note: () => undefined,
		...more,
	};
}

/** An agent that Nancy has started as this worker of the workspace in `project`. */
export function agentAt(folder: Pick<TempFolder, 'path' | 'file'>, address?: WorkerAddress): AskingAgent {
	return {
		is: 'agent',
		driver: undefined,
		worker: address && { address, folder: join(folder.path, 'project') },
		process: undefined,
		calledIn: join(folder.path, 'project'),
		because: 'a test says so',
	};
}
