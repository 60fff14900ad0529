import * as z from 'zod/mini';
import { ProjectName } from './memoryNames.ts';
import { Moment } from './records.ts';

/** `notes/<project>.json` among the user's records of a workspace: what agents that work there are told of the project. */
export const CompiledNotes = z.looseObject({
	version: z.literal(1),
	project: ProjectName,
	/** The branch that it is about; absent if it is about the whole repository. */
	branch: z.optional(z.string()),
	/** When it was last worked on. */
	at: Moment,
	/** The file of git that names the branch; absent outside of git. */
	head: z.optional(z.string()),
	/** The branch that was checked out when this was compiled. */
	checkedOut: z.optional(z.string()),
	isPaused: z.optional(z.literal(true)),
	/** Empty if nothing is known. */
	text: z.string(),
	/** Hash of what the text says: see core/memory/compiledFiles. */
	hash: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
});
export type CompiledNotes = z.infer<typeof CompiledNotes>;
