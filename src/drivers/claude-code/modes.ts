import type { LaunchModes } from '../../core/driver/launchModes.ts';

/** The flag overrides the mode of every settings file. */
export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'plan',
			label: 'Plan',
			detail: 'Reads and plans. It asks before each change and each command that no rule allows.',
			args: ['--permission-mode', 'plan'],
		},
		{
			id: 'default',
			label: 'Ask first',
			detail: 'Asks before each change and each command that no rule allows.',
			args: ['--permission-mode', 'default'],
		},
		{
			id: 'acceptEdits',
			label: 'Edits without asking',
			detail: 'Edits files in its folder, and runs simple file commands such as touch there. It asks before other commands.',
			args: ['--permission-mode', 'acceptEdits'],
		},
	],
	replacedBy: /^--(?:(?:allow-)?dangerously-skip-permissions|permission-mode)(?:=|$)/i,
};
