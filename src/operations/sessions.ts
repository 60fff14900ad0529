import * as z from 'zod/mini';
import { ownAddress } from '../core/asker/authorOf.ts';
import { SessionsOutput } from '../protocol/output/sessions.ts';
import { knownSessions } from './shared/knownSessions.ts';
import { Meant } from './shared/meant.ts';
import { anybody, type Operation } from './operation.ts';

const Input = z.object({
	/** By default those of the asking agent's own task, or for a person all of the workspace. */
	of: z.optional(Meant),
});

/** Lists the sessions of agents, oldest first, by task. */
export const sessions: Operation<z.infer<typeof Input>, z.infer<typeof SessionsOutput>> = {
	name: 'sessions',
	input: Input,
	output: SessionsOutput,
	worksUntrusted: true,
	permit: anybody,
	async run(asker, { of }, { workspace }) {
		const own = ownAddress(asker);
		return { sessions: await knownSessions(workspace, of ?? (own && { task: own.task })) };
	},
};
