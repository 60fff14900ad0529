import * as z from 'zod/mini';
import type { Asker } from '../../core/asker/asker.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import { matchesFilter } from '../../core/traffic/store.ts';
import { TrafficLog } from '../../core/traffic/trafficLog.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';
import { withCollector } from './collecting.ts';
import { Meant, noWorker } from './meant.ts';

/** Which records are meant. */
export const TrafficInput = z.object({
	/** By default those of the asking agent's own worker, or for a person all of the workspace. */
	of: z.optional(Meant),
	/** The agent CLI's own event name, or Nancy's kind. */
	event: z.optional(z.string()),
	/** A session's id, or the beginning of one. */
	session: z.optional(z.string()),
	/** Anywhere in the record, in either case. */
	text: z.optional(z.string()),
	/** At most so many of those that are there already. */
	limit: z.int().check(z.nonnegative()),
});
export type TrafficInput = z.infer<typeof TrafficInput>;

/**
 * Looks at the records that are meant. The first look gives the newest, each later one those that have come since. All oldest first.
 * @throws NancyError `no-task` if there is no such task or worker
 */
export async function withTraffic<T>(
	workspace: Workspace,
	asker: Asker,
	input: TrafficInput,
	work: (look: () => Promise<TrafficRecord[]>) => Promise<T>,
): Promise<T> {
	const { of, event, session, text, limit } = input;
	if (of) await refuseMissing(workspace, of);
	const meant = of ?? ownAddress(asker);
	const isMeant = (record: TrafficRecord) =>
		(meant?.worker === undefined || record.worker === meant.worker) &&
		matchesFilter(record, { task: meant?.task, event, text });
	const isNarrowed = meant !== undefined || event !== undefined || text !== undefined;
	const log = new TrafficLog(workspace, session);
	let hasLooked = false;
	return withCollector(workspace, collect =>
		work(async () => {
			await collect();
			if (hasLooked) return (await log.readNew()).filter(isMeant);
			hasLooked = true;
			return log.readNewest(limit, isNarrowed ? isMeant : undefined);
		}),
	);
}

async function refuseMissing(workspace: Workspace, { task, worker }: Meant): Promise<void> {
	await workspace.task(task);
	if (worker && !(await workspace.worker({ task, worker }))) throw noWorker({ task, worker });
}
