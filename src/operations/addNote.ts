import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { Category, NoteId, ProjectName } from '../protocol/memoryNames.ts';
import type { MachineContext, Operation } from './operation.ts';
import { compileEverywhere } from './shared/compiledNotes.ts';
import { memoryPlace, openMemory } from './shared/memory.ts';

const Line = z.int().check(z.positive());

const Input = z.object({
	project: ProjectName,
	category: Category,
	text: z.string().check(z.trim(), z.minLength(1), z.maxLength(400)),
	/** Where its lines are. Absolute. */
	folder: z.string(),
	/** The lines that it is about, of a file in the folder. */
	lines: z.optional(z.object({ path: z.string(), from: Line, to: Line })),
});

const Output = z.object({ project: ProjectName, id: NoteId });

/** A person writes a note. */
export const addNote: Operation<z.infer<typeof Input>, z.infer<typeof Output>, MachineContext> = {
	name: 'addNote',
	input: Input,
	output: Output,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(_, { project, folder, ...words }, { env }) {
		const memory = await openMemory(env);
		const id = await memory.notes.add(project, words, await memoryPlace(folder));
		await compileEverywhere(env);
		return { project, id };
	},
};
