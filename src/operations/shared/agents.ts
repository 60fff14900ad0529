import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Asker } from '../../core/asker/asker.ts';
import type { Driver } from '../../core/driver/driver.ts';
import type { FoundAgent } from '../../core/driver/launch.ts';
import { driverById, drivers } from '../../drivers/index.ts';
import { detectAgent, programVariable, type Detection } from '../../process/detect.ts';
import type { MachineContext } from '../operation.ts';

type Environment = MachineContext['env'];

/**
 * The named agent. Without a name, the agent that asks, or for a person the first one found. No file of the workspace names one: agents
 * write there.
 */
export async function chooseAgent(asker: Asker, env: Environment, named: string | undefined): Promise<FoundAgent> {
	const wanted = named ?? (asker.is === 'agent' ? asker.driver : undefined);
	if (wanted !== undefined) return findAgent(knownDriver(wanted), env);
	const [first] = await foundAgents(env);
	if (first) return first;
	throw new NancyError(
		'no-agent',
		phrase`no agent is installed. ${drivers.map(driver => driver.installHint).join(' ')}`,
	);
}

/** Every agent that is found on the PATH. */
export async function foundAgents(env: Environment): Promise<FoundAgent[]> {
	const found = await Promise.all(drivers.map(driver => findAgent(driver, env).catch(noAgent)));
	return found.filter(each => each !== undefined);
}

export function knownDriver(id: string): Driver {
	const driver = driverById(id);
	if (driver) return driver;
	throw new NancyError(
		'bad-usage',
		phrase`there is no agent "${id}"; Nancy knows ${drivers.map(each => each.id).join(', ')}`,
	);
}

export async function findAgent(driver: Driver, env: Environment): Promise<FoundAgent> {
	const detection = await detect(driver, { env, isTrusted: true });
	if (detection.found) return { driver, agent: { executable: detection.executable, version: detection.version } };
	throw new NancyError(
		'no-agent',
		phrase`${driver.displayName} cannot be used: ${detection.reason}. ${detection.hint}`,
	);
}

/** In Restricted Mode nothing is run, not even for a version. */
export async function detect(driver: Driver, { env, isTrusted }: MachineContext): Promise<Detection> {
	if (isTrusted) return detectAgent(driver, env[programVariable(driver.id)], env);
	return { found: false, reason: phrase`not looked for in Restricted Mode`, hint: '' };
}

function noAgent(error: unknown): undefined {
	if (error instanceof NancyError && error.code === 'no-agent') return undefined;
	throw error;
}
