import * as z from 'zod/mini';
import { TrafficRecord } from '../protocol/traffic.ts';
import { anybody, type Operation } from './operation.ts';
import { TrafficInput, withTraffic } from './shared/trafficRecords.ts';

const Output = z.object({ records: z.array(TrafficRecord) });

/** Lists the newest records of what agents report, oldest first. */
export const traffic: Operation<TrafficInput, z.infer<typeof Output>> = {
	name: 'traffic',
	input: TrafficInput,
	output: Output,
	worksOnPage: true,
	permit: anybody,
	run: async (asker, input, { workspace }) =>
		withTraffic(workspace, asker, input, async look => ({ records: await look() })),
};
