import { SILENT, type Beginning, type HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { printed } from '../answers.ts';

/** The plugin's own event: a session's bell has rung. */
export const DOORBELL = 'doorbell';

/** The plugin's own event: the guard gave a session no bell at its start. */
export const BELL_ASKED = 'bell-asked';

/** For the plugin: the file to watch. It has no place for words. */
export function beginAnswer({ kind }: AgentEvent, { bell }: Beginning): HookAnswer {
	if (kind !== 'session-start' && kind !== 'watch-asked') return SILENT;
	return { ...printed({ bell }), watches: true };
}
