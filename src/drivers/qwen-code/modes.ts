import { phrase } from '../../base/phrase.ts';
import type { LaunchModes } from '../../core/driver/launchModes.ts';

export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'plan',
			label: phrase`Plan`,
			detail: phrase`Reads and plans. Commands that change something are blocked until you approve its plan.`,
			args: ['--approval-mode=plan'],
		},
		{
			id: 'default',
			label: phrase`Ask first`,
			detail: phrase`Asks before each change and each command that no rule allows.`,
			args: ['--approval-mode=default'],
		},
		{
			id: 'auto-edit',
			label: phrase`Edits without asking`,
			detail: phrase`Edits files in its folder. It asks before each command.`,
			args: ['--approval-mode=auto-edit'],
		},
	],
	replacedBy: /^(?:--(?:yolo|approval-?mode)(?:=|$)|-[a-z]*y)/i,
};
