import type { LaunchModes } from '../../core/driver/launchModes.ts';

export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'plan',
			label: 'Plan',
			detail: 'Its agent “plan”: edits no files. Commands run as opencode.json says, and without asking where it says nothing.',
			args: ['--agent=plan'],
		},
	],
	replacedBy: /^--(?:agent|auto|yolo|dangerously-?skip-?permissions)(?:=|$)/i,
};
