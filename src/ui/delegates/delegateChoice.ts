import { resolve } from 'node:path';
import type { DelegateRequest } from '../../core/delegates/queueDelegate.ts';
import { modelsIn, type StartChoice } from '../start/startChoice.ts';

/** How a prompt is delegated. */
export interface DelegateChoice extends StartChoice {
	/** Folder to work in, relative to the workspace folder. Empty: the workspace folder itself. */
	within: string;
	wallMinutes: number;
	idleMinutes: number;
	/** The group of the delegates that were started earlier with the same prompt. */
	group?: string | undefined;
}

/** The parts of a request that do not depend on the agent. */
export function placeAndLimits(
	{ place, within, wallMinutes, idleMinutes }: DelegateChoice,
	workspace: string,
): Pick<DelegateRequest, 'folder' | 'worktree' | 'limits'> {
	return {
		folder: resolve(workspace, within),
		worktree: place === 'folder' ? undefined : { withChanges: place === 'worktreeWithChanges' },
		limits: { wallSeconds: wallMinutes * 60, idleSeconds: idleMinutes * 60 },
	};
}

/** The same choice for only those agents that could not be started. Models from the agents' settings do not count as typed. */
export function choiceOfRest(choice: DelegateChoice, unstarted: readonly DelegateRequest[]): DelegateChoice {
	const agents = [...new Set(unstarted.map(({ agent }) => agent))];
	const typed = agents.length === 1 ? modelsIn(choice.models) : [];
	const tried = new Set(unstarted.map(({ model }) => model));
	return {
		...choice,
		agents,
		models: typed.filter(model => tried.has(model)).join(', '),
		group: unstarted[0]?.group,
	};
}
