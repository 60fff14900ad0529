import { join } from 'node:path';
import type { DeployRequest } from '../../src/core/deployment/job.ts';

/** Asks for a deployment from the runtime of this version below a folder, whether it is there or not. */
export function deployRequest(folder: string, version: string, skills?: string): DeployRequest {
	const { dataFolder } = dataIn(folder);
	const runtime = join(dataFolder, 'runtime', version);
	return {
		agentVersion: [2, 1, 329],
		scope: 'workspace',
		runtime: {
			folder: runtime,
			launcher: join(runtime, 'nancy-hook'),
			bin: join(runtime, 'bin'),
			skills: skills ?? join(runtime, 'skills'),
			version,
			dataFolder,
		},
	};
}

/** Where {@link deployRequest} has the user's data folder. */
export function dataIn(folder: string): { dataFolder: string } {
	return { dataFolder: join(folder, 'nancy') };
}
