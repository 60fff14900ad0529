import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { AgentServer, ServerName } from '../../protocol/agentServer.ts';

/** The programs of the setting `agentServers`, and its entries that are not usable. One of these keeps nothing else back. */
export interface AgentServers {
	readonly servers: ReadonlyMap<string, AgentServer>;
	/** By the name of the entry; empty for the setting as a whole. */
	readonly problems: ReadonlyMap<string, Phrase>;
}

/** @param layers the values of the setting, with the places where they stand. A later one counts more */
export function readAgentServers(layers: readonly { place: string; value: unknown }[]): AgentServers {
	const servers = new Map<string, AgentServer>();
	const problems = new Map<string, Phrase>();
	for (const { place, value } of layers) {
		if (value === undefined) continue;
		const entries = z.record(z.string(), z.unknown()).safeParse(value);
		if (!entries.success) problems.set('', phrase`"agentServers" in ${place} is no object; ${SHAPE}`);
		for (const [name, entry] of Object.entries(entries.data ?? {})) {
			const read = AgentServer.safeParse(entry);
			const problem = whyNot(name, read, place);
			servers.delete(name);
			problems.delete(name);
			if (problem) problems.set(name, problem);
			else if (read.success) servers.set(name, read.data);
		}
	}
	return { servers, problems };
}

/** @throws NancyError `bad-usage` for a name that no setting names rightly */
export function serverNamed({ servers, problems }: AgentServers, name: string): AgentServer {
	const server = servers.get(name);
	if (server) return server;
	const unnamed = phrase`the setting "agentServers" names no agent "${name}"`;
	throw new NancyError('bad-usage', problems.get(name) ?? problems.get('') ?? unnamed);
}

const SHAPE = phrase`write { "name": { "command": "program", "args": [], "env": {} } }`;

/** Its values are nobody's to read: they may be secrets. */
function whyNot(
	name: string,
	{ error }: Pick<ReturnType<typeof AgentServer.safeParse>, 'error'>,
	place: string,
): Phrase | undefined {
	if (!ServerName.safeParse(name).success)
		return phrase`"agentServers" in ${place} has the name "${name}"; use up to 28 of a-z, 0-9 and "-", with a letter or digit at both ends`;
	const [issue] = error?.issues ?? [];
	if (!issue) return undefined;
	const part = issue.path.join('.');
	const where = part === '' ? `agentServers.${name}` : `agentServers.${name}.${part}`;
	return part.startsWith('env.') && issue.code === 'invalid_key'
		? phrase`"${where}" in ${place} is a variable that Nancy sets, or no variable; leave it out, and name the program by its whole path`
		: phrase`"${where}" in ${place} is not what it should be; ${SHAPE}`;
}
