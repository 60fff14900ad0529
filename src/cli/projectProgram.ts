import { join } from 'node:path';
import * as z from 'zod/mini';
import { makeFolder } from '../base/atomicFile.ts';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import * as operations from '../operations/index.ts';
import { perform, type OperationContext } from '../operations/operation.ts';
import { compileEverywhere } from '../operations/shared/compiledNotes.ts';
import { findOrChooseWorkspace } from '../operations/shared/place.ts';
import { Category, type NoteId, type ProjectName, type ProjectStatus } from '../protocol/memoryNames.ts';
import {
	ExtractedOutput,
	NotesOutput,
	ProjectsOutput,
	ReviewedOutput,
	SharedOutput,
	type ProjectTaskOutput,
} from '../protocol/output/memory.ts';
import { answer, type Answer, type Context } from './command.ts';
import { ExitCode } from './failure.ts';
import { extractedLine, noteLines, projectLine } from './projectWords.ts';
import { Repl, type TaskOptions } from './repl.ts';
import { withCancel } from './withCancel.ts';
import { printableLine } from './words.ts';

// What the commands of projects do. It is a program of its own beside the command, which loads it when one of them runs.

const DONE = { accept: 'accepted', reject: 'rejected', retire: 'retired', pin: 'pinned, or no longer pinned' };

/** Lists projects, after a change of one if that is asked for. */
export async function listProjects(
	input: { project?: ProjectName | undefined; status?: ProjectStatus | undefined; parent?: ProjectName },
	context: Context,
): Promise<Answer> {
	const where = { env: context.env, isTrusted: true };
	const found = await perform(await operations.projects(), context.asker, input, where);
	for (const { file, reason } of found.problems) context.note(`${file}: ${reason}`);
	const lines = found.projects.map(projectLine);
	return answer(ProjectsOutput, found, lines.length === 0 ? 'no projects; nancy start <project> makes one' : lines);
}

export async function showNotes(
	project: ProjectName,
	what: string | undefined,
	isPending: boolean,
	context: Context,
): Promise<Answer> {
	const category = categoryOf(what);
	const where = { env: context.env, isTrusted: true };
	const input = { project, folder: findOrChooseWorkspace(context).folder };
	const found = await perform(await operations.projectNotes(), context.asker, input, where);
	for (const { file, reason } of found.problems) context.note(`${file}: ${reason}`);
	return answer(NotesOutput, found, noteLines(found, category, isPending));
}

/** Opens the notes files in the user's editor, and has agents told what they say then. */
export async function editNotes(project: ProjectName, what: string | undefined, context: Context): Promise<void> {
	const category = categoryOf(what);
	const { env } = context;
	const input = { project, folder: findOrChooseWorkspace(context).folder };
	const { folder } = await perform(await operations.projectNotes(), context.asker, input, { env, isTrusted: true });
	const notes = join(folder, 'notes');
	await makeFolder(notes);
	const files = category === undefined ? ['plan', ...Category.options] : [category];
	await runEditor(
		files.map(name => join(notes, `${name}.md`)),
		context,
	);
	await compileEverywhere(env);
}

/** As git does: the variable is the beginning of a command line. */
async function runEditor(files: readonly string[], { env, cwd }: Context): Promise<void> {
	const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
	const { runInForeground } = await import('../process/foreground.ts');
	const program = { command: '/bin/sh', args: ['-c', `${editor} "$@"`, editor, ...files], cwd, env: {} };
	const code = await runInForeground(program, async () => undefined);
	if (code !== 0)
		throw new NancyError(
			'bad-usage',
			phrase`${editor} ended with code ${code}; set $VISUAL or $EDITOR to another editor`,
		);
}

/** Writes a note into a file of the repository. */
export async function shareNote(
	input: { id: NoteId; project?: ProjectName | undefined },
	context: Context,
): Promise<Answer> {
	const { folder } = findOrChooseWorkspace(context);
	const where = { env: context.env, isTrusted: true };
	const done = await perform(await operations.shareNote(), context.asker, { ...input, folder }, where);
	return answer(SharedOutput, done, `written, for you to commit: ${printableLine(done.file, 1000)}`);
}

function categoryOf(what: string | undefined): Category | undefined {
	const category = z.optional(Category).safeParse(what);
	if (category.success) return category.data;
	throw new NancyError('bad-usage', `use ${Category.options.join(', ')}, not "${what}"`);
}

/** Accepts or rejects what waits, retires or pins a note. */
export async function decide(
	input: { action: keyof typeof DONE; id: NoteId; project?: ProjectName | undefined },
	context: Context,
): Promise<Answer> {
	const where = { env: context.env, isTrusted: true };
	const done = await perform(await operations.reviewNote(), context.asker, input, where);
	return answer(ReviewedOutput, done, `${DONE[input.action]}: ${printableLine(done.text, 400)}`);
}

export function extracted(done: ExtractedOutput): Answer {
	return answer(ExtractedOutput, done, extractedLine(done), done.state === 'failed' ? ExitCode.failed : ExitCode.ok);
}

/** What of a session needs the agents, which only the command itself can start. */
interface Agents {
	task(
		asked: TaskOptions & { prompt: string; since: number },
		show: (line: string) => void,
		signal: AbortSignal,
	): Promise<ProjectTaskOutput>;
	interactive(asked: {
		prompt: string | undefined;
		agent: string | undefined;
		since: number | undefined;
	}): Promise<ProjectTaskOutput>;
	extract(task: number, signal: AbortSignal): Promise<ExtractedOutput>;
}

/** Runs one task after another, as a person types them. */
export async function runSession(
	{
		project,
		agent,
		mode,
		first,
	}: {
		project: ProjectName;
		agent: string | undefined;
		mode: TaskOptions['mode'] | undefined;
		first: string | undefined;
	},
	context: Context,
	where: OperationContext,
	agents: Agents,
): Promise<void> {
	const { asker } = context;
	const begun = await perform(await operations.startProject(), asker, { project }, where);
	const desk = {
		task: (prompt: string, options: TaskOptions, show: (line: string) => void, signal: AbortSignal) =>
			agents.task({ ...options, prompt, since: begun.nextTask }, show, signal),
		interactive: (prompt: string | undefined, { agent: of, mode: asked }: TaskOptions) =>
			agents.interactive({ prompt, agent: of, since: asked === 'summary' ? begun.nextTask : undefined }),
		extract: (task: number, signal: AbortSignal) => agents.extract(task, signal),
		projects: async () => perform(await operations.projects(), asker, { project }, where),
		notes: async () =>
			perform(await operations.projectNotes(), asker, { project, folder: where.workspace.folder }, where),
	};
	const options = { agent: agent ?? begun.agent, mode: mode ?? begun.mode, resume: undefined };
	await withCancel(signal => new Repl(context, desk, options, project).run(signal, first));
}
