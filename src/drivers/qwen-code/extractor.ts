import type { Extractor } from '../../core/driver/extractor.ts';
import { questionWithSchema } from '../extraction.ts';
import { StreamReader } from './stream.ts';

/**
 * What it offers in safe mode, also once there is no search for tools (measured with 0.24.4). No pattern and no other flag leaves all of
 * them out.
 */
const TOOLS = [
	'agent ask_user_question cron_create cron_delete cron_list edit enter_plan_mode enter_worktree exit_plan_mode',
	'exit_worktree get_goal glob grep_search list_agents list_directory loop_wakeup monitor notebook_edit read_file',
	'read_mcp_resource record_artifact report_findings run_shell_command send_message skill task_stop todo_write',
	'tool_call tool_search update_goal web_fetch write_file',
].flatMap(names => names.split(' '));

export const extractor: Extractor = {
	launch: request => ({
		args: [
			'--output-format=stream-json',
			...(request.model === undefined ? [] : [`--model=${request.model}`]),
			`--system-prompt=${request.rules}`,
			// No hooks, no extensions, no servers, no instructions and no memory of the user's, but the user's login.
			'--safe-mode',
			'--chat-recording=false',
			'--approval-mode=default',
			...TOOLS.map(tool => `--exclude-tools=${tool}`),
			// A tool of a later version would be offered, and could not run.
			'--max-tool-calls=0',
		],
		stdin: questionWithSchema(request),
		env: {},
		sessionIsKnown: false,
	}),
	reader: () => new StreamReader(),
};
