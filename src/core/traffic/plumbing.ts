import type { EventKind } from '../../protocol/traffic.ts';
import type { TrafficNode } from './node.ts';

/** Kinds that tell a person nothing: another event says the same, or they are between the CLI and Nancy. */
const SILENT_KINDS: ReadonlySet<EventKind> = new Set([
	'batch-end',
	'permission-check',
	'folder-changed',
	'watch-asked',
	'doorbell',
]);

/** Kinds that tell something only by their text. */
const TEXT_KINDS: ReadonlySet<EventKind> = new Set(['notification', 'other']);

/** Whether an event tells a person nothing. One at which Nancy delivered something, or failed to, always tells something. */
export function isPlumbing({ event, outcome, deliveries, troubles }: TrafficNode): boolean {
	if (deliveries.length > 0 || troubles.length > 0 || outcome !== undefined) return false;
	return SILENT_KINDS.has(event.kind) || (TEXT_KINDS.has(event.kind) && event.summary === undefined);
}
