import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { dataFolder } from '../base/folders.ts';
import { formatVersion } from '../base/version.ts';
import { deploy } from '../core/deployment/deploy.ts';
import type { Instruments } from '../core/deployment/doctor.ts';
import type { DeploymentScope, Driver } from '../core/driver/driver.ts';
import type { InstalledAgent } from '../core/driver/launch.ts';
import {
	installRuntime,
	sourcesIn,
	type InstalledRuntime,
	type NodeProgram,
	type Runtime,
	type RuntimeSources,
} from '../core/deployment/runtime.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { driverById, drivers } from '../drivers/index.ts';
import { askGit } from '../git/askGit.ts';
import { detectAgent, findNode, programVariable } from '../process/detect.ts';
import { tryLauncher } from '../process/tryLauncher.ts';
import type { SetupOutput } from '../protocol/output/deployment.ts';
import type * as z from 'zod/mini';
import type { Context } from './command.ts';
import { betweenAnswers } from './currentOverview.ts';

/** An agent CLI that Nancy knows and that is on this machine. */
export interface FoundAgent {
	driver: Driver;
	agent: InstalledAgent;
}

/** The named agent. Without a name, the agent that asks, or for a person the workspace's default, else the first one found. */
export async function chooseAgent(
	workspace: Workspace,
	{ env, asker }: Context,
	named: string | undefined,
): Promise<FoundAgent> {
	const own = asker.is === 'agent' ? asker.driver : undefined;
	const wanted = named ?? own ?? (await workspace.config()).defaultAgent;
	if (wanted !== undefined) return findAgent(knownDriver(wanted), env);
	const [first] = await foundAgents(env);
	if (first) return first;
	throw new NancyError('no-agent', `no agent is installed. ${drivers.map(driver => driver.installHint).join(' ')}`);
}

/** Every agent that is found on the PATH. */
export async function foundAgents(env: Context['env']): Promise<FoundAgent[]> {
	const found = await Promise.all(drivers.map(driver => findAgent(driver, env).catch(noAgent)));
	return found.filter(each => each !== undefined);
}

export function knownDriver(id: string): Driver {
	const driver = driverById(id);
	if (driver) return driver;
	throw new NancyError(
		'bad-usage',
		`there is no agent "${id}"; Nancy knows ${drivers.map(each => each.id).join(', ')}`,
	);
}

export async function findAgent(driver: Driver, env: Context['env']): Promise<FoundAgent> {
	const detection = await detectAgent(driver, env[programVariable(driver.id)], env);
	if (detection.found) return { driver, agent: { executable: detection.executable, version: detection.version } };
	throw new NancyError('no-agent', `${driver.displayName} cannot be used: ${detection.reason}. ${detection.hint}`);
}

/** The programs that hooks and terminals call. Installs them for this user if they are missing. */
export async function ownRuntime({ program, env, version }: Context): Promise<InstalledRuntime> {
	return installRuntime(ownSources(program), version, dataFolder(env), await findNode(env, runningProgram()));
}

/** The `nancy` command that outlives this process. */
export function nancyOf({ bin }: Runtime): string {
	return join(bin, 'nancy');
}

/** Input of the doctor: every agent that Nancy knows, found or not, and the programs that hooks call. */
export async function instruments(context: Context): Promise<Instruments> {
	const agents = drivers.map(async driver => {
		const detection = await detectAgent(driver, context.env[programVariable(driver.id)], context.env);
		if (!detection.found) return { driver, found: undefined, problem: detection.reason };
		return { driver, found: { executable: detection.executable, version: detection.version }, problem: '' };
	});
	return {
		agents: await Promise.all(agents),
		dataFolder: dataFolder(context.env),
		installRuntime: () => ownRuntime(context),
		tryLauncher,
		env: context.env,
		askGit,
	};
}

/** Writes one agent's hooks and skills into the workspace, and reports the changes. */
export async function deployAgent(
	workspace: Workspace,
	context: Context,
	runtime: Runtime,
	{ driver, agent }: FoundAgent,
	scope: DeploymentScope,
): Promise<z.infer<typeof SetupOutput>['agents'][number]> {
	const request = { runtime, agentVersion: agent.version, scope, askGit };
	const { changed, warnings } = await betweenAnswers(workspace, context, isBusy =>
		deploy(workspace, driver, { ...request, isBusy: () => isBusy(driver.id) }),
	);
	return {
		agent: driver.id,
		agentVersion: formatVersion(agent.version),
		hookVersion: runtime.version,
		changed: [...changed],
		warnings: [...warnings],
	};
}

function runningProgram(): NodeProgram {
	return { executable: process.execPath, isElectron: process.versions['electron'] !== undefined };
}

/** Whether this program is in an installed runtime, or in `dist/` of a package. */
function ownSources(program: string): RuntimeSources {
	const folder = dirname(realpathSync(program));
	const isRuntime = existsSync(join(folder, 'nancy-hook'));
	const sources = isRuntime ? sourcesIn(folder, 'runtime') : sourcesIn(dirname(folder), 'package');
	const missing = Object.values(sources).find(file => !existsSync(file));
	if (missing === undefined) return sources;
	throw new NancyError('io', `this Nancy is not complete: ${missing} is missing; build or install it again`);
}

function noAgent(error: unknown): undefined {
	if (error instanceof NancyError && error.code === 'no-agent') return undefined;
	throw error;
}
