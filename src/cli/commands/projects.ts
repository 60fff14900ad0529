import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { ProjectName } from '../../protocol/memoryNames.ts';
import { command } from '../command.ts';

const Input = z.object({
	project: z.optional(ProjectName),
	archive: z._default(z.boolean(), false),
	pause: z._default(z.boolean(), false),
	restore: z._default(z.boolean(), false),
});

export const projects = command(
	{
		name: 'projects',
		aliases: ['list'],
		summary: 'list the projects whose notes Nancy keeps, with their state',
		details: [
			'With a name: that project alone. A paused one takes tasks, tells them nothing and learns nothing from them. An archived one stays on ' +
				'disk and takes no task.',
		],
		positionals: [{ name: 'project', label: '<project>', help: 'only this one', required: false }],
		options: {
			archive: { help: 'archives it' },
			pause: { help: 'pauses its memory' },
			restore: { help: 'brings an archived one back, or resumes a paused one' },
		},
		examples: [['nancy projects my-feature --archive', 'its notes stay, and nothing is added']],
	},
	Input,
	async ({ project, archive, pause, restore }, context) => {
		const asked = [
			...(archive ? (['archived'] as const) : []),
			...(pause ? (['paused'] as const) : []),
			...(restore ? (['active'] as const) : []),
		];
		if (asked.length > 0 && project === undefined) throw new NancyError('bad-usage', 'name the project');
		if (asked.length > 1) throw new NancyError('bad-usage', '--archive, --pause and --restore exclude each other');
		const [status] = asked;
		const { listProjects } = await import('../projectProgram.ts');
		return listProjects({ project, status }, context);
	},
);

const Link = z.object({ child: ProjectName, parent: ProjectName });

export const link = command(
	{
		name: 'link',
		summary: 'let a project read the notes of another one too',
		details: ['The notes of the parent come with a lower rank. A project has one parent, which may have one.'],
		positionals: [
			{ name: 'child', label: '<project>', help: 'the project that reads', required: true },
			{ name: 'parent', label: '<parent>', help: 'the project whose notes are read', required: true },
		],
		options: {},
		examples: [['nancy link my-feature main', 'my-feature knows what main has learnt']],
	},
	Link,
	async ({ child, parent }, context) => {
		const { listProjects } = await import('../projectProgram.ts');
		return listProjects({ project: child, parent }, context);
	},
);
