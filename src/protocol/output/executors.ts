import * as z from 'zod/mini';
import { ExecutorId } from '../executorId.ts';
import { IsolationChoice } from '../isolation.ts';
import { DriverId } from '../names.ts';
import { Said } from '../said.ts';

const Executor = z.object({
	/** What `--on` takes. */
	name: z.string(),
	id: ExecutorId,
	/** The user's settings of Nancy, or `~/.ssh/config`; `asked` for one that only the caller has named. */
	from: z.enum(['settings', 'ssh', 'asked']),
	/** How many delegates of a folder run there at once, if that is limited. */
	max: z.optional(z.number()),
	/** Whether the user has opened it to agents. */
	fromAgents: z.optional(z.boolean()),
	/** How delegates are isolated there, if the user has set that for this machine. */
	isolate: z.optional(IsolationChoice),
	/** Set if it was probed. */
	isReachable: z.optional(z.boolean()),
	/** What is there, if it was reached. */
	has: z.optional(
		z.object({
			node: z.string(),
			git: z.string(),
			/** The version of Slurm's commands; empty for a machine without them. */
			slurm: z.string(),
			/** The version of bubblewrap; empty for a machine without it. */
			bubblewrap: z.string(),
			/** Why it makes no sandbox there; empty if it makes one, or is missing. */
			sandboxFault: z.string(),
			agents: z.array(z.object({ id: DriverId, version: z.string() })),
			freeBytes: z.number(),
			survivesLogout: z.enum(['yes', 'no', 'unknown']),
		}),
	),
	/** What a delegate lacks there, each with the way to get it. */
	lacks: z.array(Said),
});
/** A machine that delegates can run on. */
export type Executor = z.infer<typeof Executor>;

/** `nancy executors` */
export const ExecutorsOutput = z.object({ executors: z.array(Executor) });
export type ExecutorsOutput = z.infer<typeof ExecutorsOutput>;
