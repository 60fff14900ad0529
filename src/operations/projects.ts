import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { ProjectName, ProjectStatus } from '../protocol/memoryNames.ts';
import { ProjectsOutput } from '../protocol/output/memory.ts';
import type { MachineContext, Operation } from './operation.ts';
import { compileEverywhere } from './shared/compiledNotes.ts';
import { openMemory } from './shared/memory.ts';

const Input = z.object({
	/** Only this one. */
	project: z.optional(ProjectName),
	/** Pauses or archives it, or brings it back. */
	status: z.optional(ProjectStatus),
	/** Its notes are read by this project. */
	parent: z.optional(ProjectName),
});

/** The projects as they are, after a change of one if that is asked for. */
export const projects: Operation<z.infer<typeof Input>, ProjectsOutput, MachineContext> = {
	name: 'projects',
	input: Input,
	output: ProjectsOutput,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(_, { project, status, parent }, { env }) {
		const memory = await openMemory(env);
		if (project !== undefined && parent !== undefined) await memory.link(project, parent);
		if (project !== undefined && status !== undefined) await memory.setStatus(project, status);
		if (parent !== undefined || status !== undefined) await compileEverywhere(env);
		return memory.listed(project);
	},
};
