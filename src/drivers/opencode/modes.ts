import type { LaunchModes } from '../../core/driver/launchModes.ts';

export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'plan',
			label: 'Plan',
			detail: 'Its agent “plan”: edits no files, unless opencode.json says otherwise. Commands run without asking where it says nothing.',
			args: ['--agent=plan'],
		},
	],
	replacedBy: /^--(?:agent|auto|yolo|dangerously-?skip-?permissions)(?:=|$)/i,
};
