import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theTask } from '../../core/workspace/named.ts';
import { TaskName, WorkerName } from '../../protocol/names.ts';

/** One worker, or all of a task. */
export const Meant = z.object({ task: TaskName, worker: z.optional(WorkerName) });
export type Meant = z.infer<typeof Meant>;

export function noWorker({ task, worker }: Meant): NancyError {
	return new NancyError(
		'no-task',
		worker ? phrase`${theTask(task)} has no worker "${worker}"` : phrase`${theTask(task)} has no worker yet`,
	);
}
