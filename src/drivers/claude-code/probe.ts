import * as z from 'zod/mini';
import type { ProbedStatus, StatusProbe } from '../../core/driver/statusProbe.ts';
import { SessionId } from '../../protocol/names.ts';

const agentSchema = () =>
	z.looseObject({
		sessionId: SessionId,
		pid: z.optional(z.int()),
		status: z.optional(z.enum(['idle', 'busy', 'waiting'])),
		waitingFor: z.optional(z.string()),
	});

const phases = { idle: 'idle', busy: 'working', waiting: 'waiting' } as const;

/** `claude agents --json` lists every running session of this user, `-p` runs too. */
export const probe: StatusProbe = {
	args: ['agents', '--json'],
	timeoutMs: 3000,
	read: stdout => {
		const schema = agentSchema();
		const found = new Map<SessionId, ProbedStatus>();
		let list: unknown;
		try {
			list = JSON.parse(stdout);
		} catch {
			return found; // an older CLI prints its help
		}
		for (const each of Array.isArray(list) ? list : []) {
			const agent = schema.safeParse(each);
			if (!agent.success || agent.data.status === undefined) continue;
			const { sessionId, status, waitingFor, pid } = agent.data;
			found.set(sessionId, {
				phase: phases[status],
				...(waitingFor !== undefined && { waitingFor }),
				...(pid !== undefined && { pid }),
			});
		}
		return found;
	},
};
