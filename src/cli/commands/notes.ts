import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { NoteId, ProjectName } from '../../protocol/memoryNames.ts';
import { command } from '../command.ts';

const Action = z.enum(['accept', 'reject', 'retire', 'pin', 'share']);

const Input = z.object({
	of: z.union([Action, ProjectName]),
	what: z.optional(z.string()),
	pending: z._default(z.boolean(), false),
	edit: z._default(z.boolean(), false),
	project: z.optional(ProjectName),
});

export const notes = command(
	{
		name: 'notes',
		summary: 'show what a project remembers, and decide about what waits',
		details: [
			'Each note has its source. "changed" says that the lines it is about are others now. What is risky waits for you: nancy notes accept ' +
				'or reject takes its id. nancy notes retire takes a note away for good, and pin keeps it in every context, or no longer.',
			'The notes are files that you may edit, also with --edit. Your edits win over what agents propose.',
			'nancy notes share writes a note into docs/agent-notes, for your repository. What a repository brings there waits until you accept it.',
		],
		positionals: [
			{
				name: 'of',
				label: '<project>|accept|reject|retire|pin|share',
				help: 'whose notes, or what to do',
				required: true,
			},
			{ name: 'what', label: '<category>|<id>', help: 'only these notes; or the id', required: false },
		],
		options: {
			pending: { help: 'only what waits for you' },
			edit: { help: 'first opens the files in your editor: $VISUAL, $EDITOR or vi' },
			project: { value: 'PROJECT', help: 'where the id is, if several projects have it' },
		},
		examples: [
			['nancy notes my-feature failures', 'the known pitfalls'],
			['nancy notes accept 3f9a1c00', 'takes what waits into the notes'],
		],
	},
	Input,
	async ({ of, what, pending, edit, project }, context) => {
		const { decide, editNotes, shareNote, showNotes } = await import('../projectProgram.ts');
		const action = Action.safeParse(of);
		if (!action.success) {
			if (edit) await editNotes(ProjectName.parse(of), what, context);
			return showNotes(ProjectName.parse(of), what, pending, context);
		}
		const id = NoteId.safeParse(what);
		if (!id.success) throw new NancyError('bad-usage', 'name the id, as nancy notes <project> shows it');
		if (action.data === 'share') return shareNote({ id: id.data, project }, context);
		return decide({ action: action.data, id: id.data, project }, context);
	},
);
