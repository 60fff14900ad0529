import { SILENT, type Beginning, type HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { JOINED } from './ownEvents.ts';

/** For the extension: the file to watch. The CLI itself watches nothing. */
export function beginAnswer(event: AgentEvent, { bell }: Beginning): HookAnswer {
	return event.event === JOINED ? { ...SILENT, stdout: `${bell}\n`, watches: true } : SILENT;
}
