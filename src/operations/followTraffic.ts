import * as z from 'zod/mini';
import { Pause } from '../base/pause.ts';
import { watch } from '../core/live/watch.ts';
import type { TrafficRecord } from '../protocol/traffic.ts';
import { anybody, type Operation, type OperationContext } from './operation.ts';
import { TrafficInput, withTraffic } from './shared/trafficRecords.ts';

/** Where the records go, and until when. */
export interface FollowContext extends OperationContext {
	readonly write: (record: TrafficRecord) => void;
	readonly signal: AbortSignal;
}

/** Gives the newest records as `traffic` does, and goes on with those that come, until the signal. */
export const followTraffic: Operation<TrafficInput, Record<never, never>, FollowContext> = {
	name: 'followTraffic',
	input: TrafficInput,
	output: z.object({}),
	permit: anybody,
	run: async (asker, input, { workspace, write, signal }) =>
		withTraffic(workspace, asker, input, async look => {
			const pause = new Pause();
			signal.addEventListener('abort', () => pause.end(), { once: true });
			const watcher = watch(workspace.paths.root, () => pause.end());
			try {
				while (!signal.aborted) {
					for (const record of await look()) write(record);
					await pause.take();
				}
			} finally {
				watcher.dispose();
			}
			return {};
		}),
};
