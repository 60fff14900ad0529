import type { DeploymentPlan, DeploymentRequest } from '../../core/driver/deploymentPlan.ts';
import { extensionFile } from './extension.ts';
import { QUESTIONS, questionsFile } from './questions.ts';
import { hookedEvents, hooksFile } from './hooks.ts';

/** Read at the root of a git repository, or in a folder without one, once the user has trusted it. */
const HOOKS = '.github/hooks/nancy.json';
const EXTENSION = '.github/extensions/nancy/extension.mjs';

const TRUST = [
	'Copilot CLI runs hooks of a folder only once you have trusted it: when you start it here the next time, it asks “Do you trust the files in this folder?”. Until then it passes over them without a word, and so does “copilot -p”. What Nancy itself starts brings its hooks along.',
	'Sessions of Copilot CLI that run already read the hooks only when they are started anew, or at /clear.',
	'In a git repository Copilot CLI reads hooks at the root alone: a session that you start in the repository of which this folder is a part is not seen.',
	'Nancy carries no answers to Copilot CLI unless you set “nancy.agents.copilot-cli.answers”. As an experiment it then works for what Nancy starts, where you have switched on “/experimental on” in Copilot CLI. That also runs the extensions that a repository brings. At each start Copilot CLI asks whether “plugin:nancy-questions:questions” may handle permission requests: agree once, or for this folder.',
];

export function deploymentPlan({ launcher, workspaceFolder, scope }: DeploymentRequest): DeploymentPlan {
	const isWorkspace = scope === 'workspace';
	return {
		edits: [],
		files: isWorkspace
			? [
					{ file: HOOKS, content: hooksFile('workspace', launcher, workspaceFolder) },
					{ file: EXTENSION, content: extensionFile('workspace', launcher, workspaceFolder) },
				]
			: [],
		// A plugin of the launch. It needs no trust, and nothing is written in the CLI's own places.
		launchFiles: [
			{ file: 'plugin.json', content: `${JSON.stringify(PLUGIN, null, 2)}\n` },
			{ file: 'hooks/hooks.json', content: hooksFile('launch', launcher, workspaceFolder) },
			{ file: 'extensions/nancy/extension.mjs', content: extensionFile('launch', launcher, workspaceFolder) },
			// A plugin of its own, which a launch names only if the user wants it.
			{ file: `${QUESTIONS}/plugin.json`, content: `${JSON.stringify(ANSWERING, null, 2)}\n` },
			{
				file: `${QUESTIONS}/extensions/${QUESTIONS}/extension.mjs`,
				content: questionsFile(launcher, workspaceFolder),
			},
		],
		events: hookedEvents,
		warnings: isWorkspace ? TRUST : [],
	};
}

const ANSWERING = {
	name: `nancy-${QUESTIONS}`,
	version: '1.0.0',
	description: 'Carries your answers to what this session asks.',
};
const PLUGIN = { name: 'nancy', version: '1.0.0', description: 'Reports to Nancy, and listens.' };
