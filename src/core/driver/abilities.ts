import type { Phrase } from '../../base/phrase.ts';
import { isAtLeast, parseVersion, type Version } from '../../base/version.ts';

/** The abilities of a CLI, in the order in which people see them. */
export const CAPABILITIES = [
	/** Reports events through hooks. */
	'hooks',
	/** Takes a directive between tool calls. */
	'steer',
	/** Lets a tool call be denied with a directive as the reason. */
	'halt',
	/** Takes feedback when it is done, and continues with it. */
	'feedback',
	/** Reports when the tool calls of one step are over. */
	'batchEnd',
	/** Shows no error badge when feedback keeps it going. */
	'quietStop',
	/** Can be woken when idle without a key typed. */
	'wake',
	/** Reports permission questions. */
	'permissions',
	/** Takes a person's answer to a permission question from outside its terminal, while its own prompt stays open. */
	'answers',
	/** Reports the activity of its sessions when asked. */
	'status',
	'skills',
	'resume',
	/** Begins a session in a terminal as a copy of an earlier one, which stays as it is. */
	'fork',
	'headless',
	/** Works as a delegate outside the workspace's own folder, in a worktree too, and takes messages there. */
	'worktree',
	/** Takes Nancy's MCP server at a launch in a terminal, and asks its user before it calls what changes something. */
	'tools',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What a CLI can, by its version. */
export interface Abilities {
	/** The lowest version for each ability, or `none` if no version has it. */
	readonly floors: Readonly<Record<Capability, Version | 'none'>>;
	/** Why an ability is missing or only half there, in a sentence for a person. */
	readonly limits: Readonly<Partial<Record<Capability, string | Phrase>>>;
}

/** Whether this version of the CLI has an ability. */
export function can({ floors }: Pick<Abilities, 'floors'>, capability: Capability, version: Version): boolean {
	const floor = floors[capability];
	return floor !== 'none' && isAtLeast(version, floor);
}

/**
 * Whether anything wakes this agent when it is idle.
 * @param agentVersion as a worker's record has it; a version that is unknown is more likely newer than Nancy than older
 */
export function canWake({ floors }: Pick<Abilities, 'floors'>, agentVersion: string | undefined): boolean {
	const version = parseVersion(agentVersion ?? '');
	if (floors.wake === 'none') return false;
	return version === undefined || isAtLeast(version, floors.wake);
}

/** The abilities that this version of the CLI lacks, and those that it has only in part. */
export function shortcomings(driver: Abilities, version: Version): { lacks: Capability[]; limits: Capability[] } {
	const hasIt = (each: Capability) => can(driver, each, version);
	return {
		lacks: CAPABILITIES.filter(each => !hasIt(each)),
		limits: CAPABILITIES.filter(each => hasIt(each) && driver.limits[each] !== undefined),
	};
}
