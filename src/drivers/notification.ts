import type { AgentEvent } from '../protocol/traffic.ts';
import { oneLine } from './summary.ts';

/**
 * What a notification tells, of the CLIs that share these names for their types.
 * @param type as the CLI names it. Seen: `permission_prompt`, `idle_prompt`, `elicitation_dialog`, `elicitation_response`; in the program of
 * one of them also `worker_permission_prompt`, `agent_needs_input`, `elicitation_url_dialog`, `elicitation_complete`, `push_notification`,
 * `auth_storage_failure`, `auth_success`, `agent_completed`, `shell_completed`, `agent_idle`
 */
export function notificationDetails(type: string | undefined, message: string | undefined): Partial<AgentEvent> {
	return { notification: type, tells: meaningOf(type ?? ''), summary: oneLine(message) };
}

function meaningOf(type: string): AgentEvent['tells'] {
	if (type === 'idle_prompt') return 'idle';
	if (/^elicitation_(?:complete|response)$/.test(type)) return 'answered';
	if (/permission_prompt$|^elicitation|needs_input$/.test(type)) return 'asked';
	// Work in the background that ends needs nobody.
	return /_completed$|^agent_idle$|^auth_success$/.test(type) ? undefined : 'alert';
}
