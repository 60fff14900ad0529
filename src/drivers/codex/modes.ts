import { phrase } from '../../base/phrase.ts';
import type { LaunchModes } from '../../core/driver/launchModes.ts';

/**
 * `on-request`: it asks a person before it leaves the sandbox. The settings of the user may say `never`. There is no stricter one: 0.169.0
 * refuses `untrusted`.
 */
const sandboxed = (mode: string) => ['--sandbox', mode, '--ask-for-approval', 'on-request'];

export const launchModes: LaunchModes = {
	modes: [
		{
			id: 'read-only',
			label: phrase`Read only`,
			detail: phrase`Reads, and runs commands in a sandbox where nothing can be changed. It asks before each edit, and before it leaves the sandbox. Rules, also of a trusted folder, can allow more.`,
			args: sandboxed('read-only'),
		},
		{
			id: 'workspace-write',
			label: phrase`Edits without asking`,
			detail: phrase`Changes files in its folder, and runs commands in a sandbox. It asks before it leaves the sandbox. Settings and rules, also of a trusted folder, can allow more.`,
			args: sandboxed('workspace-write'),
		},
	],
	replacedBy:
		/^(?:--(?:sandbox|ask-for-approval|approve-for-me|full-auto|yolo|dangerously-bypass-approvals-and-sandbox)(?:=|$)|-[as]|(?:-c|--config)=?\s*["']?(?:sandbox_(?:mode|permissions)|(?:default_)?permissions|approvals?)(?![a-z]))/,
};
