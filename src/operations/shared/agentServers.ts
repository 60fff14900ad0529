import { configFolder } from '../../base/folders.ts';
import { NancyError, said } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { serverNamed, type AgentServers } from '../../core/files/agentServers.ts';
import { UserSettingsFile } from '../../core/files/userSettings.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { driverById } from '../../drivers/index.ts';
import { serverDriver } from '../../drivers/acp/server.ts';
import { locateAgent, type Seeker } from '../../process/detect.ts';
import { serverName, ServerName, SERVERS, type AgentServer } from '../../protocol/agentServer.ts';
import type { FoundAgent } from '../../core/driver/foundAgent.ts';
import type { MachineContext } from '../operation.ts';

/** The agents that the user's settings name. Nothing is asked of their programs: they have no question in common. */

type Place = Pick<MachineContext, 'env'> & { workspace?: { folder: string } | undefined };

/**
 * Read anew each time, from the user's own file: a window keeps VS Code's setting there. A name that means another agent already is a problem
 * of its entry: nobody could start it by that.
 */
export async function agentServers({ env, workspace }: Place): Promise<AgentServers> {
	const { servers, problems } = await new UserSettingsFile(configFolder(env), env['HOME']).agentServers(
		workspace?.folder,
	);
	const taken = [...servers.keys()].filter(name => driverById(name));
	return {
		servers: new Map([...servers].filter(([name]) => !taken.includes(name))),
		problems: new Map([...problems, ...taken.map(name => [name, nameTaken(name)] as const)]),
	};
}

function nameTaken(name: string): Phrase {
	return phrase`"agentServers.${name}" has the name of another agent, or one that begins with "${SERVERS}-"; use another name`;
}

export type FoundServer = { found: FoundAgent } | { driver: Driver; problem: Phrase };

/** Whether its program is where a start would look for it. */
export function locateServer(name: string, server: AgentServer, env: Place['env'], seeker: Seeker): FoundServer {
	const driver = serverDriver(name, server);
	const executable = locateAgent(driver, server.command, env, seeker);
	if (executable !== undefined) return { found: { driver, agent: { executable, version: driver.oldestVersion } } };
	const refused = locateAgent(driver, server.command, env, 'shell');
	const problem =
		refused === undefined
			? phrase`there is no program "${server.command}" on the PATH; install it, or give its whole path as agentServers.${name}.command`
			: phrase`${refused} is in a workspace, where agents could overwrite it`;
	return { driver, problem };
}

export interface ServerRow {
	driver: Driver;
	found: FoundAgent['agent'] | undefined;
	problem: Phrase | string | undefined;
	/** The setting itself is wrong, and not only its program missing. */
	isWrong: boolean;
}

/** Every entry of the setting, for people. In Restricted Mode no program is looked for. */
export async function serverRows({ env, workspace, isTrusted }: MachineContext, seeker: Seeker): Promise<ServerRow[]> {
	const place = { env, workspace };
	const { servers, problems } = await agentServers(place).catch((error: unknown) => ({
		servers: new Map<string, AgentServer>(),
		problems: new Map([['', said(error)]]),
	}));
	const usable = [...servers].map(([name, server]): ServerRow => {
		if (!isTrusted)
			return {
				driver: serverDriver(name, server),
				found: undefined,
				problem: phrase`not looked for in Restricted Mode`,
				isWrong: false,
			};
		const located = locateServer(name, server, env, seeker);
		return 'found' in located
			? { driver: located.found.driver, found: located.found.agent, problem: undefined, isWrong: false }
			: { driver: located.driver, found: undefined, problem: located.problem, isWrong: false };
	});
	const wrong = [...problems].map(([name, problem]): ServerRow => ({
		driver: { ...serverDriver(idWord(name)), displayName: name || 'agentServers' },
		found: undefined,
		problem,
		isWrong: true,
	}));
	return [...usable, ...wrong];
}

/** For a row of a name that can be no part of an id. Nobody can choose it. */
function idWord(name: string): string {
	const word = name
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, '-')
		.slice(0, 20)
		.replaceAll(/^-|-$/g, '');
	return ServerName.safeParse(name).success ? name : `${word || 'unnamed'}-wrong`;
}

/** @throws NancyError `no-agent` for one that cannot be started, `bad-usage` for one that no setting names rightly */
export async function findServer(name: string, place: Place, seeker: Seeker): Promise<FoundAgent> {
	const located = locateServer(name, serverNamed(await agentServers(place), name), place.env, seeker);
	if ('found' in located) return located.found;
	throw new NancyError('no-agent', phrase`${name} cannot be used: ${located.problem}`);
}

/** The name of a server that somebody means: by itself, or as the id of its agent. `undefined` for a name of no server. */
export async function serverMeant(named: string, place: Place): Promise<string | undefined> {
	if (driverById(named)) return serverName(named);
	const { servers, problems } = await agentServers(place);
	return servers.has(named) || problems.has(named) ? named : undefined;
}
