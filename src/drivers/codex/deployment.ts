import type { DeploymentPlan, DeploymentRequest } from '../../core/driver/deploymentPlan.ts';
import { handlerOf } from './flags.ts';
import { hookEntries } from './hooks.ts';

/** Read in this folder alone, once the user has trusted the folder and each hook in it. */
const HOOKS = '.codex/hooks.json';

const TRUST = [
	'Codex runs hooks of a folder only once you have trusted them. When you start it here the next time, it says “Hooks need review”: choose “Review”, look at Nancy’s, and trust them (later: /hooks).',
	'Until then Codex passes over them without a word, and so does “codex exec”. What Nancy itself starts brings its hooks along and needs no review.',
];

export function deploymentPlan({ launcher, workspaceFolder, scope }: DeploymentRequest): DeploymentPlan {
	const entries = scope === 'workspace' ? hookEntries('workspace', launcher, workspaceFolder) : [];
	return {
		edits:
			scope === 'launch'
				? []
				: [
						{
							file: HOOKS,
							entries: entries.map(entry => ({
								path: ['hooks', entry.event],
								value: { hooks: [handlerOf(entry)] },
							})),
						},
					],
		files: [],
		launchFiles: [],
		events: [...new Set(entries.map(entry => entry.event))],
		warnings: scope === 'workspace' ? TRUST : [],
	};
}
