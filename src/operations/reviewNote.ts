import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { NoteId, ProjectName } from '../protocol/memoryNames.ts';
import { ReviewedOutput } from '../protocol/output/memory.ts';
import type { MachineContext, Operation } from './operation.ts';
import { compileEverywhere } from './shared/compiledNotes.ts';
import { openMemory, projectHaving } from './shared/memory.ts';

const Input = z.object({
	action: z.enum(['accept', 'reject', 'retire', 'pin']),
	id: NoteId,
	/** By default the only one that has it. */
	project: z.optional(ProjectName),
	/** Accepts these words instead. */
	words: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(400))),
});

/** A person decides about an update that waits, or about a note. */
export const reviewNote: Operation<z.infer<typeof Input>, z.infer<typeof ReviewedOutput>, MachineContext> = {
	name: 'reviewNote',
	input: Input,
	output: ReviewedOutput,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(_, { action, id, project: named, words }, { env }) {
		if (words !== undefined && action !== 'accept')
			throw new NancyError('bad-usage', phrase`only accept takes words`);
		const memory = await openMemory(env);
		const project = await projectHaving(memory, id, named);
		const text = await memory.notes.review(action, project, id, words);
		await compileEverywhere(env);
		return { project, id, text };
	},
};
