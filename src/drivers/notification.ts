import type { AgentEvent } from '../protocol/traffic.ts';
import { oneLine } from './summary.ts';

/**
 * What a notification tells, of the CLIs that share these names for their types.
 * @param type as the CLI names it. Seen: `permission_prompt`, `idle_prompt`, `elicitation_dialog`, `elicitation_response`; in the program of
 * one of them also `worker_permission_prompt`, `agent_needs_input`, `elicitation_url_dialog`, `elicitation_complete`
 */
export function notificationDetails(type: string | undefined, message: string | undefined): Partial<AgentEvent> {
	return { notification: type, tells: meaningOf(type ?? ''), summary: oneLine(message) };
}

function meaningOf(type: string): AgentEvent['tells'] {
	if (type === 'idle_prompt') return 'idle';
	if (/^elicitation_(?:complete|response)$/.test(type)) return 'answered';
	return /permission_prompt$|^elicitation|needs_input$/.test(type) ? 'asked' : undefined;
}
