import type { LaunchModes } from '../../core/driver/launchModes.ts';

export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'plan',
			label: 'Plan',
			detail: 'Reads and plans. Commands that change something are blocked until you approve its plan.',
			args: ['--approval-mode=plan'],
		},
		{
			id: 'default',
			label: 'Ask first',
			detail: 'Asks before each change and each command that no rule allows.',
			args: ['--approval-mode=default'],
		},
		{
			id: 'auto-edit',
			label: 'Edits without asking',
			detail: 'Edits files in its folder. It asks before each command.',
			args: ['--approval-mode=auto-edit'],
		},
	],
	replacedBy: /^(?:--(?:yolo|approval-?mode)(?:=|$)|-[a-z]*y)/i,
};
