import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { serverName } from '../../protocol/agentServer.ts';
import type { ExecutorId } from '../../protocol/executorId.ts';
import type { AgentChoice } from '../ports.ts';

export const PLACES = ['folder', 'worktree', 'worktreeWithChanges'] as const;
export type Place = (typeof PLACES)[number];

/** How agents are started, for a task as for delegates. */
export const StartChoice = z.object({
	agents: z.array(z.string()),
	/** As typed: see {@link modelsIn}. */
	models: z._default(z.string(), ''),
	place: z.enum(PLACES),
	/** The permission mode of each agent that has one. For a task it is one in a terminal. */
	permissions: z.record(z.string(), z.string()),
});
export type StartChoice = z.infer<typeof StartChoice>;

/** A place that may be on another machine. */
export interface Location {
	place: Place;
	/** The other machine; this one if absent. */
	on?: ExecutorId | undefined;
}

/** Another machine that a choice is for. There is no workspace folder there: a preset may have chosen that since. */
export function machineOf({ place, on }: Location): ExecutorId | undefined {
	return place === 'folder' ? undefined : on;
}

/** The names in a list with commas, each once. */
export function modelsIn(typed: string): string[] {
	const names = typed.split(',').map(name => name.trim());
	return [...new Set(names.filter(name => name !== ''))];
}

export function agentsOf({ agents: ids }: StartChoice, agents: readonly AgentChoice[]): AgentChoice[] {
	return agents.filter(({ id }) => ids.includes(id));
}

/** Whether an agent can be chosen. A CLI that did not answer in time is there: the start asks it again. */
export function canBeChosen({ found, obstacle }: AgentChoice): boolean {
	return found !== undefined || obstacle === 'unanswered';
}

/**
 * The chosen agents that work only in the workspace's own folder, if another one is chosen.
 * @param within the folder to work in, relative to the workspace folder
 */
export function misplaced(choice: StartChoice, agents: readonly AgentChoice[], within = ''): AgentChoice[] {
	if (choice.place === 'folder' && resolve('/', within) === resolve('/')) return [];
	return agentsOf(choice, agents).filter(({ lacks }) => lacks.includes('worktree'));
}

/** Whether Nancy names it a model. The settings of the program alone do that for one of “nancy.agentServers”. */
export function takesModel({ id }: AgentChoice): boolean {
	return serverName(id) === undefined;
}

/** The agents that get the prompt: each with the model of its settings, or one agent with each of the models. */
export function runsOf(
	choice: StartChoice,
	agents: readonly AgentChoice[],
): { agent: AgentChoice; model: string | undefined }[] {
	const chosen = agentsOf(choice, agents);
	const models = modelsIn(choice.models);
	const [only, ...others] = chosen;
	if (!only || others.length > 0 || models.length === 0 || !takesModel(only))
		return chosen.map(agent => ({ agent, model: agent.model }));
	return models.map(model => ({ agent: only, model }));
}

/** The same choice for only those agents that could not be started. Models from the agents' settings do not count as typed. */
export function choiceOfRest<Choice extends StartChoice>(
	choice: Choice,
	unstarted: readonly { agent: string; model?: string | undefined }[],
): Choice {
	const agents = [...new Set(unstarted.map(({ agent }) => agent))];
	const typed = agents.length === 1 ? modelsIn(choice.models) : [];
	const tried = new Set(unstarted.map(({ model }) => model));
	return { ...choice, agents, models: typed.filter(model => tried.has(model)).join(', ') };
}
