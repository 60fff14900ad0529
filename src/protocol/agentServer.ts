import * as z from 'zod/mini';
import { DriverId } from './names.ts';

/** A program that speaks the Agent Client Protocol, as editors let their users name it. What else an editor keeps in an entry is left out. */
export const AgentServer = z.object({
	/** A name on the PATH, or a whole path. */
	command: z.string().check(z.trim(), z.minLength(1)),
	args: z._default(z.array(z.string()), []),
	env: z._default(
		z.record(
			z.string().check(z.regex(/^(?!PATH$|HOME$|NODE_OPTIONS$|NANCY_|XDG_|LD_|DYLD_)[A-Za-z_][A-Za-z0-9_]*$/)),
			z.string(),
		),
		{},
	),
});
export type AgentServer = z.infer<typeof AgentServer>;

/** It is a part of an agent's id, which is a part of file names. */
export const ServerName = z.string().check(z.regex(/^[a-z0-9](?:[a-z0-9-]{0,26}[a-z0-9])?$/));

/** The driver that speaks for them all. An agent's id is `<this>-<name>`. */
export const SERVERS = 'acp';

export function serverId(name: string): DriverId {
	return DriverId.parse(`${SERVERS}-${name}`);
}

/** The name in an agent's id; `undefined` for a CLI that Nancy knows by itself. */
export function serverName(id: string): string | undefined {
	const prefix = `${SERVERS}-`;
	return id.startsWith(prefix) && ServerName.safeParse(id.slice(prefix.length)).success
		? id.slice(prefix.length)
		: undefined;
}

/** The id of the driver that speaks for an agent. */
export function speakerOf(id: string): string {
	return serverName(id) === undefined ? id : SERVERS;
}
