import { DENIED, type AcpAgent, type ToolCall } from '../../core/driver/acp.ts';
import { approvalModeIn, readWords } from '../conversation.ts';
import { BROKEN_OFF } from './payloads.ts';

/**
 * `gemini --acp`. Its options hold there too. Seen with 0.61.0: it runs the hooks of prompt and end, which hand over messages as in its own
 * terminal. It runs no hook of its session, its tools and its questions.
 */
export const acp: AcpAgent = {
	read: readWords,
	modeIn: args => {
		const mode = approvalModeIn(args);
		return mode === 'auto_edit' ? 'autoEdit' : mode;
	},
	noYes: [],
	toolOf,
	sessions: 'own',
	steering: 'none',
	brokenOff: {
		event: BROKEN_OFF,
		payload: (session, cwd, error) => ({ session_id: session, cwd, hook_event_name: BROKEN_OFF, error }),
		// The model reads the No, and goes on.
		isAfterNo: false,
	},
	turns: 'none',
	silent: {
		begun: (session, cwd) => ({
			event: 'SessionStart',
			slot: 'program',
			payload: { session_id: session, cwd, hook_event_name: 'SessionStart', source: 'startup' },
		}),
		ended: (session, cwd) => ({
			event: 'SessionEnd',
			slot: 'report',
			payload: { session_id: session, cwd, hook_event_name: 'SessionEnd', reason: 'exit' },
		}),
		asked: ({ title }, session, cwd) => ({
			event: 'Notification',
			slot: 'report',
			payload: {
				session_id: session,
				cwd,
				hook_event_name: 'Notification',
				notification_type: 'ToolPermission',
				message: title ?? '',
			},
		}),
		told(call, session, cwd) {
			const tool = { session_id: session, cwd, tool_name: toolOf(call) ?? 'tool', tool_input: inputOf(call) };
			switch (call.status) {
				case 'in_progress':
					return report('BeforeTool', tool);
				case 'completed':
					return report('AfterTool', { ...tool, tool_response: { llmContent: '' } });
				case 'failed':
				case DENIED:
					return report('AfterTool', {
						...tool,
						tool_response: { llmContent: '', error: { message: call.status } },
					});
				default:
					return undefined;
			}
		},
	},
};

function report(event: string, payload: object) {
	return { event, slot: 'report', payload: { ...payload, hook_event_name: event } } as const;
}

/** Its ids begin with the tool's name, also where the model gives a call none (0.61.0, its source). */
export function toolOf({ toolCallId }: Pick<ToolCall, 'toolCallId'>): string | undefined {
	return /^(.+?)(?:__|-\d{13}-\d+$)/.exec(toolCallId)?.[1];
}

/** The CLI shows a command as the title of its call, and of other tools what they are about. */
export function inputOf({ toolCallId, title, locations }: ToolCall): object {
	const [file] = locations ?? [];
	if (toolOf({ toolCallId }) === SHELL) return { command: title ?? '' };
	return file ? { file_path: file.path } : { description: title ?? '' };
}

export const SHELL = 'run_shell_command';
