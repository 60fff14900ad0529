import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { NoteId, ProjectName } from '../protocol/memoryNames.ts';
import { ProposalOutput } from '../protocol/output/memory.ts';
import type { MachineContext, Operation } from './operation.ts';
import { openMemory } from './shared/memory.ts';

const Input = z.object({ project: ProjectName, id: NoteId });

/** A notes file as it is, and as an update that waits would make it. */
export const noteProposal: Operation<z.infer<typeof Input>, ProposalOutput, MachineContext> = {
	name: 'noteProposal',
	input: Input,
	output: ProposalOutput,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(_, { project, id }, { env }) {
		return (await openMemory(env)).proposal(project, id);
	},
};
