import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { identify } from '../../src/base/liveness.ts';
import { sealStart } from '../../src/core/sessions/sealedAgents.ts';
import { TaskName, WorkerName } from '../../src/protocol/names.ts';

/**
 * Starts a program as its environment says: below a process that Nancy has started, if that is the one of a worker.
 * @param dataFolder the user's
 */
export function spawnAsAgent(
	dataFolder: string,
	[program, ...args]: readonly [string, ...string[]],
	options: SpawnOptionsWithoutStdio,
): ChildProcessWithoutNullStreams {
	const { NANCY_TASK_DIR: taskFolder, NANCY_WORKER: worker } = options.env ?? {};
	if (taskFolder === undefined || worker === undefined) return spawn(program, args, options);
	const child = spawn('sh', ['-c', '"$@"; exit $?', 'sh', program, ...args], options);
	const address = { task: TaskName.parse(basename(taskFolder)), worker: WorkerName.parse(worker) };
	const folder = dirname(dirname(dirname(taskFolder)));
	sealStart(dataFolder, identify(child.pid ?? 0), { folder, address });
	return child;
}
