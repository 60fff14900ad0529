import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { FolderProjectsOutput } from '../protocol/output/memory.ts';
import type { MachineContext, Operation } from './operation.ts';
import { memoryPlace, openMemory } from './shared/memory.ts';

const Input = z.object({
	/** Absolute. */
	folder: z.string(),
});

/** The projects of a folder's repository, with all that is known of them. */
export const folderProjects: Operation<z.infer<typeof Input>, FolderProjectsOutput, MachineContext> = {
	name: 'folderProjects',
	input: Input,
	output: FolderProjectsOutput,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(_, { folder }, { env }) {
		const memory = await openMemory(env);
		// Without any project, git is not asked.
		if ((await memory.names()).length === 0) return { projects: [], problems: [] };
		return memory.ofFolder(await memoryPlace(folder));
	},
};
