import { liveness } from '../../base/liveness.ts';
import type { WorkerRecord } from '../../protocol/records.ts';

/** A terminal that has not reported its process after this time will not do so any more, in milliseconds. */
const START_MS = 20_000;

/**
 * Whether the worker has a conversation to go on with. An agent that died before its first event has none: its CLI knows nothing of the
 * session whose id Nancy chose.
 */
export function hasBegun({ sessions }: Pick<WorkerRecord, 'sessions'>): boolean {
	return sessions.some(session => !session.unreported);
}

/** Whether somebody is starting this worker, and has not told its process yet. */
export function isStarting({ starting }: Pick<WorkerRecord, 'starting'>): boolean {
	return (
		starting !== undefined && liveness(starting.by) !== 'dead' && Date.now() - Date.parse(starting.at) < START_MS
	);
}

/** Only a person can say that a process on another machine has ended, by stopping it. */
export function isRunning({ process, stoppedAt, startedAt }: WorkerRecord): boolean {
	if (process === undefined) return false;
	const alive = liveness(process);
	return alive === 'alive' || (alive === 'unknown' && (stoppedAt === undefined || stoppedAt < startedAt));
}
