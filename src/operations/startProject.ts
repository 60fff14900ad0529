import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { ProjectName } from '../protocol/memoryNames.ts';
import { Problem } from '../protocol/output/parts.ts';
import type { Operation } from './operation.ts';
import { compileNotes } from './shared/compiledNotes.ts';
import { memoryPlace, openMemory } from './shared/memory.ts';

const Input = z.object({ project: ProjectName });

const Output = z.object({
	/** The first task of this session will have it. */
	nextTask: z.int(),
	/** As the user has set them in config.toml. */
	agent: z.optional(z.string()),
	mode: z.enum(['fresh', 'summary', 'full']),
	/** Tasks of earlier sessions wait for their notes, and the project learns. */
	hasDue: z.boolean(),
	/** What is wrong with the user's config.toml, or has no effect there. */
	problems: z.array(Problem),
});

/** Opens a project of the workspace's repository, and makes it if it is new. */
export const startProject: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'startProject',
	input: Input,
	output: Output,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(_, { project }, context) {
		const { workspace, env } = context;
		const memory = await openMemory(env);
		const { repository, branch } = await memoryPlace(workspace.folder);
		await memory.open(project, repository, branch);
		await compileNotes(context);
		const { tasks } = await memory.state(project);
		const { repl, problems } = await memory.config();
		const due = (await memory.listed(project)).projects.some(each => each.due > 0 && each.status === 'active');
		return {
			nextTask: (tasks.at(-1)?.number ?? 0) + 1,
			agent: repl.agent,
			mode: repl.mode,
			hasDue: due,
			problems: [...problems],
		};
	},
};
