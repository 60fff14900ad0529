import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';

/** What an event is called, over all CLIs: its kind, or what a notification tells. */
export type EventName = EventKind | 'asked' | 'rested';

export function eventName({ kind, tells }: AgentEvent): EventName {
	if (kind !== 'notification') return kind;
	if (tells === 'asked') return 'asked';
	return tells === 'idle' ? 'rested' : kind;
}
