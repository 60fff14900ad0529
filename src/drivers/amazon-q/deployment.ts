import type { DeploymentPlan, DeploymentRequest } from '../../core/driver/deploymentPlan.ts';
import { agentHooks, hookedEvents } from './hooks.ts';

/** The agent that a start by Nancy names. The CLI finds it by its name, in this folder of where it works. */
export const AGENT = 'nancy';
const FILE = `.amazonq/cli-agents/${AGENT}.json`;

/** As the built-in agent is (docs/default-agent-behavior.md of the CLI's repository), but that it trusts no tool by name. */
const LIKE_DEFAULT = {
	name: AGENT,
	description: 'The default agent, and it reports to Nancy.',
	tools: ['*'],
	allowedTools: [],
	resources: ['file://AmazonQ.md', 'file://README.md', 'file://.amazonq/rules/**/*.md'],
	useLegacyMcpJson: true,
};

export function deploymentPlan({ launcher, workspaceFolder, scope }: DeploymentRequest): DeploymentPlan {
	const agent = { ...LIKE_DEFAULT, hooks: agentHooks(launcher, workspaceFolder) };
	return {
		edits: [],
		files: [{ file: FILE, content: `${JSON.stringify(agent, null, 2)}\n` }],
		launchFiles: [],
		events: hookedEvents,
		warnings:
			scope === 'workspace'
				? [
						'Amazon Q tells its hooks no session: only what Nancy starts reports and gets messages. Sessions that you start yourself do not.',
					]
				: [],
	};
}
