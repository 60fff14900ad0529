import { uniqueHex } from '../../base/unique.ts';
import type { SessionNames } from '../../core/driver/acp.ts';
import { SERVERS } from '../../protocol/agentServer.ts';

/** `acp-<12 random hex digits>-<the agent's own name>`. */
const NAME = new RegExp(`^${SERVERS}-[0-9a-f]{12}-(.+)$`);

/**
 * The names of sessions of which nothing is known. The own name is a part of it, so nothing need be kept to find it again. An earlier version
 * of Nancy took the own name as it was.
 */
export const sessions: SessionNames = {
	of: own => `${SERVERS}-${uniqueHex(12)}-${own}`,
	ownOf: session => NAME.exec(session)?.[1] ?? session,
};
