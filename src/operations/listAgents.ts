import * as z from 'zod/mini';
import { formatVersion } from '../base/version.ts';
import { CAPABILITIES, shortcomings } from '../core/driver/abilities.ts';
import type { Driver } from '../core/driver/driver.ts';
import { isTalkedWith } from '../core/driver/talkedWith.ts';
import { launchModesOf } from '../core/driver/modeFlags.ts';
import { drivers } from '../drivers/index.ts';
import { OBSTACLES, seekerOf, type Seeker } from '../process/detect.ts';
import { DriverId } from '../protocol/names.ts';
import { Said } from '../protocol/said.ts';
import { detect } from './shared/agents.ts';
import { serverRows } from './shared/agentServers.ts';
import { anybody, type MachineContext, type Operation } from './operation.ts';

const Ability = z.enum(CAPABILITIES);

const Agent = z.object({
	id: DriverId,
	displayName: z.string(),
	found: z.optional(z.object({ executable: z.string(), version: z.string() })),
	/** Why it cannot be used, in a word and in a sentence. */
	obstacle: z.optional(z.enum(OBSTACLES)),
	problem: z.optional(Said),
	/** Its version, if that is too old. */
	oldVersion: z.optional(z.string()),
	/** What a person types into a terminal to install it; empty where only they know. */
	installCommand: z.string(),
	/** Nobody has tried Nancy with it: what it does is taken from its source and documents. */
	isUntried: z.boolean(),
	/** The abilities that its version does not have, and those that it has only in part. */
	lacks: z.array(Ability),
	limits: z.array(Ability),
	/** Its permission modes as a delegate, most careful first; empty if it cannot be one. */
	permissionModes: z.array(
		z.object({
			id: z.string(),
			label: Said,
			detail: Said,
			width: z.number(),
			/** It asks the user, which is for delegates alone. */
			asks: z.optional(z.boolean()),
		}),
	),
	/** Without a terminal it is a delegate alone: no project's task runs with it. */
	isDelegateAlone: z.optional(z.boolean()),
	/** As a delegate it can run in a sandbox. */
	isIsolable: z.optional(z.boolean()),
	/** Its permission modes in a terminal, most careful first; empty if its CLI takes no flag for them. */
	launchModes: z.array(z.object({ id: z.string(), label: Said, detail: Said })),
	/** Whether its first prompt in a terminal can have images. */
	takesImages: z.boolean(),
});
/** `nancy agents` */
export const AgentsOutput = z.object({ agents: z.array(Agent) });
export type AgentsOutput = z.infer<typeof AgentsOutput>;

/** Every agent that Nancy knows, found or not. In Restricted Mode no program is run, so none is found. */
export const listAgents: Operation<Record<never, never>, AgentsOutput, MachineContext> = {
	name: 'listAgents',
	input: z.object({}),
	output: AgentsOutput,
	worksUntrusted: true,
	permit: anybody,
	async run(asker, _input, context) {
		const seeker = seekerOf(asker);
		const known = await Promise.all(drivers.map(driver => agentOf(driver, context, seeker)));
		return { agents: [...known, ...(await serversIn(context, seeker))] };
	},
};

async function agentOf(driver: Driver, context: MachineContext, seeker: Seeker): Promise<z.infer<typeof Agent>> {
	const found = await detect(driver, context, seeker);
	return {
		...(found.found
			? { found: { executable: found.executable, version: formatVersion(found.version) } }
			: {
					obstacle: found.obstacle,
					problem: found.reason,
					oldVersion: found.version && formatVersion(found.version),
				}),
		installCommand: driver.npmPackage === undefined ? '' : `npm install -g ${driver.npmPackage}`,
		...(found.found ? shortcomings(driver, found.version) : { lacks: [], limits: [] }),
		...choicesOf(driver),
	};
}

/** The agents that the user's settings name. Those that cannot be read have nothing but a problem. */
async function serversIn(context: MachineContext, seeker: Seeker): Promise<z.infer<typeof Agent>[]> {
	return (await serverRows(context, seeker)).map(({ driver, found, problem, isWrong }) => ({
		...(found
			? { found: { executable: found.executable, version: '' } }
			: { obstacle: isWrong ? ('broken' as const) : ('missing' as const), problem: problem ?? '' }),
		installCommand: '',
		...(found ? shortcomings(driver, found.version) : { lacks: [], limits: [] }),
		...choicesOf(driver),
	}));
}

function choicesOf(driver: Driver) {
	const { id, displayName, headless, knownFrom } = driver;
	return {
		...(isTalkedWith(driver) && { isDelegateAlone: true }),
		...(headless !== 'none' && headless.homeFolders !== 'none' && { isIsolable: true }),
		id,
		displayName,
		isUntried: knownFrom !== 'runs',
		permissionModes: headless === 'none' ? [] : [...headless.permissionModes],
		launchModes: launchModesOf(driver).map(({ id: mode, label, detail }) => ({ id: mode, label, detail })),
		takesImages: driver.images !== 'none',
	};
}
