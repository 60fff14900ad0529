import type { Asking } from '../../core/driver/asking.ts';
import { answerByKind } from '../askedCall.ts';
import { askedOnScreen, type ToolOnScreen } from '../askedOnScreen.ts';

/** By the words of its line prompt. */
const TOOLS: Readonly<Record<string, ToolOnScreen>> = {
	execute_bash: { tool: 'execute_bash', bodyIs: 'command' },
	fs_read: { tool: 'fs_read', bodyIs: 'text' },
	fs_write: { tool: 'fs_write', bodyIs: 'text' },
	use_aws: { tool: 'use_aws', bodyIs: 'text' },
};

/** Its line prompt, read from its screen. By its source, the turn goes on after a No. */
export const asking: Asking = {
	read: call => {
		const asked = askedOnScreen(call, TOOLS);
		return asked === 'none' ? asked : { ...asked, choices: [{ effect: 'no', isMute: true }] };
	},
	answer: answerByKind,
	addedFolders: async () => [],
	isReportedApart: false,
	hidesSubagents: false,
};
