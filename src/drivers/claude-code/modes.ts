import { phrase } from '../../base/phrase.ts';
import type { LaunchModes } from '../../core/driver/launchModes.ts';

/** The flag overrides the mode of every settings file. */
export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'plan',
			label: phrase`Plan`,
			detail: phrase`Reads and plans. It asks before each change and each command that no rule allows.`,
			args: ['--permission-mode', 'plan'],
		},
		{
			id: 'default',
			label: phrase`Ask first`,
			detail: phrase`Asks before each change and each command that no rule allows.`,
			args: ['--permission-mode', 'default'],
		},
		{
			id: 'acceptEdits',
			label: phrase`Edits without asking`,
			detail: phrase`Edits files in its folder, and runs simple file commands such as touch there. It asks before other commands.`,
			args: ['--permission-mode', 'acceptEdits'],
		},
	],
	replacedBy: /^--(?:(?:allow-)?dangerously-skip-permissions|permission-mode)(?:=|$)/i,
};
