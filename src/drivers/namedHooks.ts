import type { DeploymentPlan } from '../core/driver/deploymentPlan.ts';
import { SYNC_TIMEOUT, type GuardedEvent } from './guard.ts';

/** The name by which a person switches Nancy's hooks off (`/hooks disable nancy`). */
export const HOOK_NAME = 'nancy';

/**
 * The entries for a CLI whose hooks have names: one hook for each event. The CLI waits for each.
 * @param second how many of the file's units of time are one second
 */
export function namedHooks(
	file: string,
	events: readonly GuardedEvent[],
	second: number,
	commandLine: (guarded: GuardedEvent) => string,
): DeploymentPlan['edits'][number] {
	const timeout = SYNC_TIMEOUT * second;
	return {
		file,
		entries: events.map(guarded => ({
			path: ['hooks', guarded.event],
			value: {
				...(guarded.matcher !== undefined && { matcher: guarded.matcher }),
				hooks: [{ name: HOOK_NAME, type: 'command', command: commandLine(guarded), timeout }],
			},
		})),
	};
}
