import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { ProjectName } from '../protocol/memoryNames.ts';
import { NotesOutput } from '../protocol/output/memory.ts';
import type { MachineContext, Operation } from './operation.ts';
import { memoryPlace, openMemory } from './shared/memory.ts';

const Input = z.object({
	project: ProjectName,
	/** Where the lines of notes are looked for. Absolute. */
	folder: z.string(),
});

/** Everything that is known of a project: plan, notes, what waits for a person, and its tasks. */
export const projectNotes: Operation<z.infer<typeof Input>, NotesOutput, MachineContext> = {
	name: 'projectNotes',
	input: Input,
	output: NotesOutput,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(_, { project, folder }, { env }) {
		return (await openMemory(env)).shown(project, await memoryPlace(folder));
	},
};
