import { hasCode, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Asker } from '../../core/asker/asker.ts';
import type { Driver } from '../../core/driver/driver.ts';
import type { FoundAgent } from '../../core/driver/foundAgent.ts';
import { driverById, drivers } from '../../drivers/index.ts';
import { detectAgent, programVariable, seekerOf, type Detection, type Seeker } from '../../process/detect.ts';
import { serverName } from '../../protocol/agentServer.ts';
import type { MachineContext } from '../operation.ts';
import { findServer, serverMeant } from './agentServers.ts';

type Place = Pick<MachineContext, 'env' | 'workspace'>;

/**
 * The named agent. Without a name, the agent that asks, or for a person the first CLI found. No file of the workspace names one: agents
 * write there.
 */
export async function chooseAgent(
	asker: Asker,
	place: Place,
	named: string | undefined,
	seeker = seekerOf(asker),
): Promise<FoundAgent> {
	const wanted = named ?? (asker.is === 'agent' ? asker.driver : undefined);
	if (wanted !== undefined) {
		const server = await serverMeant(wanted, place);
		return server === undefined ? findAgent(knownDriver(wanted), place, seeker) : findServer(server, place, seeker);
	}
	const [first] = await foundAgents(place, seeker);
	if (first) return first;
	throw new NancyError(
		'no-agent',
		phrase`no agent is installed. ${drivers.map(driver => driver.installHint).join(' ')}`,
	);
}

/** Every agent that is found on the PATH. @throws as {@link foundIn} does */
export async function foundAgents(place: Place, seeker: Seeker): Promise<FoundAgent[]> {
	return foundIn(await Promise.all(drivers.map(driver => findAgent(driver, place, seeker).catch(whyNone))));
}

/** @throws the NancyError `timeout` of one that did not answer, if no other one is found: so nobody is told that none is installed */
export function foundIn(answers: readonly (FoundAgent | NancyError)[]): FoundAgent[] {
	const found = answers.flatMap(each => (each instanceof NancyError ? [] : [each]));
	const unanswered = answers.flatMap(each => (hasCode(each, 'timeout') ? [each] : []));
	if (found.length === 0 && unanswered[0]) throw unanswered[0];
	return found;
}

export function knownDriver(id: string): Driver {
	const driver = driverById(id);
	if (driver) return driver;
	throw new NancyError(
		'bad-usage',
		phrase`there is no agent "${id}"; Nancy knows ${drivers.map(each => each.id).join(', ')}, and those of the setting "agentServers"`,
	);
}

/** @throws NancyError `no-agent`, or `timeout` for one that may be usable and did not answer */
export async function findAgent(driver: Driver, place: Place, seeker: Seeker): Promise<FoundAgent> {
	const server = serverName(driver.id);
	if (server !== undefined) return findServer(server, place, seeker);
	const detection = await detect(driver, { env: place.env, isTrusted: true }, seeker);
	if (detection.found) return { driver, agent: { executable: detection.executable, version: detection.version } };
	const { obstacle, reason, hint } = detection;
	if (obstacle === 'unanswered')
		throw new NancyError('timeout', phrase`${driver.displayName} cannot be used: ${reason}`);
	throw new NancyError('no-agent', phrase`${driver.displayName} cannot be used: ${reason}. ${hint}`);
}

/** In Restricted Mode nothing is run, not even for a version. */
export async function detect(driver: Driver, { env, isTrusted }: MachineContext, seeker: Seeker): Promise<Detection> {
	if (isTrusted) return detectAgent(driver, env[programVariable(driver.id)], env, seeker);
	return { found: false, obstacle: 'missing', reason: phrase`not looked for in Restricted Mode`, hint: '' };
}

function whyNone(error: unknown): NancyError {
	if (hasCode(error, 'no-agent', 'timeout')) return error;
	throw error;
}
