import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { extname, basename } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { errorText, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import type { Line } from '../picture/line.ts';
import { PictureOutput } from '../protocol/output/picture.ts';
import type { MachineContext, Operation } from './operation.ts';

/** The longest text that is drawn, in bytes: nobody looks at a picture of more. */
const LONGEST = 1024 * 1024;
const MOST_LINES = 2000;

const Input = z.object({
	/** Absolute paths. */
	of: z.union([
		z.object({ file: z.string(), shown: z.string(), from: z.optional(z.int()), to: z.optional(z.int()) }),
		z.object({ command: z.string(), folder: z.string(), columns: z.int().check(z.gte(20), z.lte(400)) }),
	]),
	theme: z._default(z.enum(['dark', 'light']), 'dark'),
	title: z.optional(z.string()),
	outputFile: z.optional(z.string()),
});
type Input = z.infer<typeof Input>;

/** Draws lines of a file, or what a command prints, as an SVG picture. For people: it reads, runs and writes what they name. */
export const picture: Operation<Input, PictureOutput, MachineContext> = {
	name: 'picture',
	input: Input,
	output: PictureOutput,
	async permit(asker) {
		permit(asker, { is: 'draw' });
	},
	async run(_, { of, theme, title, outputFile }, { env }) {
		const { linesOfCode, linesOfTerminal, svgOf } = await import('../picture/draw.ts');
		const drawn =
			'file' in of
				? { title: of.shown, ...rangeOf(linesOfCode(await textOf(of.file), languageOf(of.file)), of) }
				: {
						title: of.command,
						firstNumber: undefined,
						lines: await linesOfTerminal(
							await outputOf(of.command, of.folder, of.columns, env),
							of.columns,
						),
					};
		const { lines, firstNumber } = drawn;
		if (lines.length > MOST_LINES)
			throw new NancyError(
				'bad-usage',
				phrase`${lines.length} lines are too many for a picture; draw at most ${MOST_LINES}`,
			);
		const svg = svgOf(lines, { theme, title: title ?? drawn.title, firstNumber });
		if (outputFile === undefined) return { lines: lines.length, svg };
		// As any picture that a program saves: others may see it.
		await writeFileAtomic(outputFile, svg, { mode: 0o644 });
		return { lines: lines.length, file: outputFile };
	},
};

async function textOf(file: string): Promise<string> {
	const status = await stat(file).catch((error: unknown) => {
		throw new NancyError('bad-file', phrase`${file} cannot be read: ${errorText(error)}`, { cause: error });
	});
	if (!status.isFile()) throw new NancyError('bad-file', phrase`${file} is no file`);
	if (status.size > LONGEST)
		throw new NancyError('bad-file', phrase`${file} has ${status.size} bytes; draw at most ${LONGEST}`);
	const text = await readFile(file, 'utf8');
	return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function languageOf(file: string): string {
	return extname(file).slice(1).toLowerCase() || basename(file).toLowerCase();
}

/** The lines from one number to another, both counted from 1. */
function rangeOf(
	lines: readonly Line[],
	{ file, from = 1, to = lines.length }: { file: string; from?: number | undefined; to?: number | undefined },
): { lines: readonly Line[]; firstNumber: number } {
	if (from < 1 || to < from)
		throw new NancyError('bad-usage', phrase`lines ${from}-${to} are no range; name the first and the last line`);
	if (from > lines.length) throw new NancyError('bad-usage', phrase`${file} has ${lines.length} lines only`);
	return { lines: lines.slice(from - 1, to), firstNumber: from };
}

/** What a command prints, with its colours where it heeds the usual variables: it sees no terminal. A failure of it is drawn as well. */
async function outputOf(command: string, folder: string, columns: number, env: MachineContext['env']): Promise<string> {
	const child = spawn('/bin/sh', ['-c', `exec 2>&1\n${command}`], {
		cwd: folder,
		env: { ...env, FORCE_COLOR: '1', CLICOLOR_FORCE: '1', COLUMNS: String(columns) },
		stdio: ['inherit', 'pipe', 'inherit'],
	});
	const ended = new Promise<void>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', () => resolve());
	});
	const parts: Buffer[] = [];
	let length = 0;
	child.stdout.on('data', (part: Buffer) => {
		length += part.length;
		if (length <= LONGEST) parts.push(part);
		else {
			child.kill();
			// What the shell has started may go on, and holds the pipe.
			child.stdout.destroy();
		}
	});
	await ended;
	if (length > LONGEST)
		throw new NancyError('bad-usage', phrase`the command prints more than ${LONGEST} bytes; let it print less`);
	return Buffer.concat(parts).toString('utf8');
}
