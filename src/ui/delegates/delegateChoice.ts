import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { DelegateRequest } from '../../core/delegates/queueDelegate.ts';
import type { AgentChoice } from '../ports.ts';

export const PLACES = ['folder', 'worktree', 'worktreeWithChanges'] as const;
export type Place = (typeof PLACES)[number];

/** The last choice. All windows offer it again. */
export const LastChoice = z.object({
	agents: z.array(z.string()),
	place: z.enum(PLACES),
	/** By agent. */
	permissions: z.record(z.string(), z.string()),
});
export type LastChoice = z.infer<typeof LastChoice>;

/** How a prompt is delegated. */
export interface DelegateChoice extends LastChoice {
	/** As typed: see {@link modelsIn}. */
	models: string;
	/** Folder to work in, relative to the workspace folder. Empty: the workspace folder itself. */
	within: string;
	wallMinutes: number;
	idleMinutes: number;
	/** The group of the delegates that were started earlier with the same prompt. */
	group?: string | undefined;
}

/** The names in a list with commas, each once. */
export function modelsIn(typed: string): string[] {
	const names = typed.split(',').map(name => name.trim());
	return [...new Set(names.filter(name => name !== ''))];
}

export function agentsOf(choice: DelegateChoice, agents: readonly AgentChoice[]): AgentChoice[] {
	return agents.filter(({ id }) => choice.agents.includes(id));
}

/** The chosen agents that work only in the workspace's own folder, if another one is chosen. */
export function misplaced(choice: DelegateChoice, agents: readonly AgentChoice[]): AgentChoice[] {
	if (choice.place === 'folder' && resolve('/', choice.within) === resolve('/')) return [];
	return agentsOf(choice, agents).filter(({ lacks }) => lacks.includes('worktree'));
}

/** The agents that get the prompt: each with the model of its settings, or one agent with each of the models. */
export function runsOf(
	choice: DelegateChoice,
	agents: readonly AgentChoice[],
): { agent: AgentChoice; model: string | undefined }[] {
	const chosen = agentsOf(choice, agents);
	const models = modelsIn(choice.models);
	const [only, ...others] = chosen;
	if (!only || others.length > 0 || models.length === 0) return chosen.map(agent => ({ agent, model: agent.model }));
	return models.map(model => ({ agent: only, model }));
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
