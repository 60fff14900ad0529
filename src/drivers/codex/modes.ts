import { phrase } from '../../base/phrase.ts';
import type { LaunchModes } from '../../core/driver/launchModes.ts';

/** When it asks is said too: the settings of the user may say `never`. */
const sandboxed = (mode: string, asks: string) => ['--sandbox', mode, '--ask-for-approval', asks];

export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'read-only',
			label: phrase`Read only`,
			detail: phrase`Reads, also by plain commands such as ls. It asks before each edit and each other command. Rules, also of a trusted folder, can allow more.`,
			// The strictest there is, so that it is never looser than the settings of the user.
			args: sandboxed('read-only', 'untrusted'),
		},
		{
			id: 'workspace-write',
			label: phrase`Edits without asking`,
			detail: phrase`Changes files in its folder, and runs commands in a sandbox. It asks before it leaves the sandbox. Settings and rules, also of a trusted folder, can allow more.`,
			// It asks before it leaves the sandbox.
			args: sandboxed('workspace-write', 'on-request'),
		},
	],
	replacedBy:
		/^(?:--(?:sandbox|ask-for-approval|approve-for-me|full-auto|yolo|dangerously-bypass-approvals-and-sandbox)(?:=|$)|-[as]|(?:-c|--config)=?\s*["']?(?:sandbox_(?:mode|permissions)|(?:default_)?permissions|approvals?)(?![a-z]))/,
};
