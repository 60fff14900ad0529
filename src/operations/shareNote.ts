import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { NoteId, ProjectName } from '../protocol/memoryNames.ts';
import { SharedOutput } from '../protocol/output/memory.ts';
import type { MachineContext, Operation } from './operation.ts';
import { memoryPlace, openMemory, projectHaving } from './shared/memory.ts';

const Input = z.object({
	id: NoteId,
	/** By default the only one that has it. */
	project: z.optional(ProjectName),
	/** The folder of the repository, absolute. */
	folder: z.string(),
});

/** Writes a note into a file of the workspace. Whoever gets the repository is asked whether it may be told. */
export const shareNote: Operation<z.infer<typeof Input>, z.infer<typeof SharedOutput>, MachineContext> = {
	name: 'shareNote',
	input: Input,
	output: SharedOutput,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(_, { id, project: named, folder }, { env }) {
		const memory = await openMemory(env);
		const project = await projectHaving(memory, id, named);
		return { project, id, ...(await memory.notes.share(project, id, await memoryPlace(folder))) };
	},
};
