import { phrase } from '../../base/phrase.ts';
import type { LaunchModes } from '../../core/driver/launchModes.ts';

export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'plan',
			label: phrase`Plan`,
			detail: phrase`Reads and plans. Changes of your files are blocked until you leave this mode in the terminal.`,
			args: ['--mode=plan'],
		},
	],
	replacedBy: /^--(?:mode|plan|autopilot|yolo|allow-all(?:-[a-z]+)?)(?:=|$)/i,
};
