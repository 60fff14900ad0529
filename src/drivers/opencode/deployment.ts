import type { DeploymentPlan, DeploymentRequest } from '../../core/driver/deploymentPlan.ts';
import { eventNames } from './payloads.ts';
import { pluginFile } from './plugin.ts';

/** The CLI loads it in this folder for everybody, without a question. */
const PLUGIN = '.opencode/plugin/nancy.js';

/** In the launch folder. */
export const LAUNCH_PLUGIN = 'nancy.js';

const WARNINGS = [
	'Sessions of opencode that run already load the plugin only when they are started anew.',
	'opencode installs the package @opencode-ai/plugin into .opencode once that folder is there, and keeps it out of git with a .gitignore of its own. Both stay after Clean Up: remove .opencode by hand if nothing of yours is in it.',
];

export function deploymentPlan({ launcher, workspaceFolder, scope }: DeploymentRequest): DeploymentPlan {
	const isWorkspace = scope === 'workspace';
	return {
		edits: [],
		files: isWorkspace ? [{ file: PLUGIN, content: pluginFile('workspace', launcher, workspaceFolder) }] : [],
		launchFiles: [{ file: LAUNCH_PLUGIN, content: pluginFile('launch', launcher, workspaceFolder) }],
		events: eventNames,
		warnings: isWorkspace ? WARNINGS : [],
	};
}
