import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { Category, NoteId, ProjectName } from '../../protocol/memoryNames.ts';
import { NotesOutput, ReviewedOutput } from '../../protocol/output/memory.ts';
import { answer, command, type Context } from '../command.ts';
import { noteLines } from '../projectWords.ts';
import { printableLine } from '../words.ts';

const Action = z.enum(['accept', 'reject', 'retire', 'pin']);

const Input = z.object({
	of: z.union([Action, ProjectName]),
	what: z.optional(z.string()),
	pending: z._default(z.boolean(), false),
	project: z.optional(ProjectName),
});

const DONE = { accept: 'accepted', reject: 'rejected', retire: 'retired', pin: 'pinned, or no longer pinned' };

export const notes = command(
	{
		name: 'notes',
		summary: 'show what a project remembers, and decide about what waits',
		details: [
			'Each note has its source. "changed" says that the lines it is about are others now. What is risky waits for you: nancy notes accept ' +
				'or reject takes its id. nancy notes retire takes a note away for good, and pin keeps it in every context, or no longer.',
			'The notes are files that you may edit. Your edits win over what agents propose.',
		],
		positionals: [
			{
				name: 'of',
				label: '<project>|accept|reject|retire|pin',
				help: 'whose notes, or what to do',
				required: true,
			},
			{ name: 'what', label: '<category>|<id>', help: 'only these notes; or the id', required: false },
		],
		options: {
			pending: { help: 'only what waits for you' },
			project: { value: 'PROJECT', help: 'where the id is, if several projects have it' },
		},
		examples: [
			['nancy notes my-feature failures', 'the known pitfalls'],
			['nancy notes accept 3f9a1c00', 'takes what waits into the notes'],
		],
	},
	Input,
	async ({ of, what, pending, project }, context) => {
		const where = { env: context.env, isTrusted: true };
		const action = Action.safeParse(of);
		if (action.success) {
			const id = NoteId.safeParse(what);
			if (!id.success) throw new NancyError('bad-usage', `name the id, as nancy notes <project> shows it`);
			const input = { action: action.data, id: id.data, project };
			const done = await perform(await operations.reviewNote(), context.asker, input, where);
			return answer(ReviewedOutput, done, `${DONE[action.data]}: ${printableLine(done.text, 400)}`);
		}
		return shown(ProjectName.parse(of), what, pending, context);
	},
);

async function shown(project: ProjectName, what: string | undefined, isPending: boolean, context: Context) {
	const category = z.optional(Category).safeParse(what);
	if (!category.success) throw new NancyError('bad-usage', `use ${Category.options.join(', ')}, not "${what}"`);
	const where = { env: context.env, isTrusted: true };
	const input = { project, folder: findOrChooseWorkspace(context).folder };
	const found = await perform(await operations.projectNotes(), context.asker, input, where);
	for (const { file, reason } of found.problems) context.note(`${file}: ${reason}`);
	return answer(NotesOutput, found, noteLines(found, category.data, isPending));
}
