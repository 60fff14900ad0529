import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { PictureOutput } from '../../protocol/output/picture.ts';
import { answer, command } from '../command.ts';
import { printableLine } from '../words.ts';

const Input = z.object({
	file: z.optional(z.string()),
	execute: z.optional(z.string()),
	'output-file': z.optional(z.string()),
	theme: z._default(z.enum(['dark', 'light']), 'dark'),
	title: z.optional(z.string()),
	columns: z._default(z.coerce.number().check(z.int(), z.gte(20), z.lte(400)), 100),
});

export const picture = command(
	{
		name: 'picture',
		summary: 'draw code, or what a command prints, as an SVG picture',
		details: [
			'Of a file: its lines with their numbers, coloured by its language. Of a command: what a terminal shows. The command sees no ' +
				'terminal; FORCE_COLOR and CLICOLOR_FORCE ask it for colours.',
			'Prints the picture without --output-file. For people only: an agent could read, run and write more by it than it may.',
		],
		positionals: [
			{
				name: 'file',
				label: '<file>[:<from>[-<to>]]',
				help: 'the file, and its lines if not all',
				required: false,
			},
		],
		options: {
			execute: {
				value: 'COMMAND',
				short: 'e',
				help: 'runs this command in your shell, and draws what it prints',
			},
			'output-file': { value: 'FILE', short: 'o', help: 'writes the picture there, whole or not at all' },
			theme: { value: 'dark|light', help: 'its colours; default dark' },
			title: { value: 'TEXT', help: 'stands above it; default: the file or the command' },
			columns: { value: 'N', help: 'width of the terminal of a command; default 100', expects: '20 to 400' },
		},
		examples: [
			['nancy picture src/app.ts:10-40 -o app.svg', 'for a message or a slide'],
			[
				'nancy picture --execute "git log --oneline --color -5" --theme light -o log.svg',
				'with the colours of git',
			],
		],
	},
	Input,
	async ({ file, execute, 'output-file': output, theme, title, columns }, context) => {
		if ((file === undefined) === (execute === undefined))
			throw new NancyError('bad-usage', 'name a file, or a command with --execute');
		const of =
			execute === undefined
				? placeOf(file ?? '', context.cwd)
				: { command: execute, folder: context.cwd, columns };
		const drawn = await perform(
			await operations.picture(),
			context.asker,
			{ of, theme, title, outputFile: output && resolve(context.cwd, output) },
			{ env: context.env, isTrusted: true },
		);
		const text = drawn.svg?.trimEnd() ?? `${printableLine(output ?? '')}: ${drawn.lines} lines drawn`;
		return answer(PictureOutput, drawn, text);
	},
);

function placeOf(typed: string, cwd: string) {
	const [, name = typed, from, to] = /^(.+):(\d+)(?:-(\d+))?$/.exec(typed) ?? [];
	const first = from === undefined ? undefined : Number(from);
	return { file: resolve(cwd, name), shown: name, from: first, to: to === undefined ? first : Number(to) };
}
