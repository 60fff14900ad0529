import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../base/atomicFile.ts';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { removeTree } from '../base/removeTree.ts';
import { readPlainText } from '../core/files/plainFile.ts';
import * as operations from '../operations/index.ts';
import { perform, type OperationContext } from '../operations/operation.ts';
import { compileEverywhere } from '../operations/shared/compiledNotes.ts';
import { findOrChooseWorkspace } from '../operations/shared/place.ts';
import { NOTES_FILES, type NoteId, type ProjectName, type ProjectStatus } from '../protocol/memoryNames.ts';
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
import { extractedLine, noteLines, notesFileOf, projectLine } from './projectWords.ts';
import { Repl, type ProjectDesk, type TaskOptions } from './repl.ts';
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
	const category = notesFileOf(what);
	const where = { env: context.env, isTrusted: true };
	const input = { project, folder: findOrChooseWorkspace(context).folder };
	const found = await perform(await operations.projectNotes(), context.asker, input, where);
	for (const { file, reason } of found.problems) context.note(`${file}: ${reason}`);
	return answer(NotesOutput, found, noteLines(found, category, isPending));
}

/** Opens the notes files in the user's editor, and has agents told what they say then. */
export async function editNotes(project: ProjectName, what: string | undefined, context: Context): Promise<void> {
	const file = notesFileOf(what);
	const { env } = context;
	const input = { project, folder: findOrChooseWorkspace(context).folder };
	const { folder } = await perform(await operations.projectNotes(), context.asker, input, { env, isTrusted: true });
	const notes = join(folder, 'notes');
	await makeFolder(notes);
	await runEditor(
		(file === undefined ? NOTES_FILES : [file]).map(name => join(notes, `${name}.md`)),
		context,
	);
	await compileEverywhere(env);
}

/** What the user's editor makes of a text. */
async function editedText(text: string, context: Context): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'nancy-note-'));
	try {
		const file = join(folder, 'note.md');
		await writeFile(file, `${text}\n`);
		await runEditor([file], context);
		return (await readPlainText(file)) ?? '';
	} finally {
		await removeTree(folder);
	}
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
	require(agent: string): void;
	task(
		asked: TaskOptions & { prompt: string; since: number },
		show: (line: string) => void,
		signal: AbortSignal,
	): Promise<ProjectTaskOutput>;
	interactive(
		asked: {
			prompt: string | undefined;
			agent: string | undefined;
			since: number | undefined;
		},
		signal: AbortSignal,
	): Promise<ProjectTaskOutput>;
	extract(task: number | undefined, signal: AbortSignal): Promise<ExtractedOutput>;
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
	if (agent !== undefined) agents.require(agent);
	const begun = await perform(await operations.startProject(), asker, { project }, where);
	for (const { file, reason } of begun.problems) context.note(`${file}: ${reason}`);
	const desk: ProjectDesk = {
		task: (prompt, options, show, signal) =>
			agents.task({ ...options, prompt, since: begun.nextTask }, show, signal),
		interactive: (prompt, { agent: of, mode: asked }, signal) =>
			agents.interactive({ prompt, agent: of, since: asked === 'summary' ? begun.nextTask : undefined }, signal),
		extract: (task, signal) => agents.extract(task, signal),
		projects: async () => perform(await operations.projects(), asker, { project }, where),
		notes: async () =>
			perform(await operations.projectNotes(), asker, { project, folder: where.workspace.folder }, where),
		proposal: async id => perform(await operations.noteProposal(), asker, { project, id }, where),
		decide: async (action, id, words) => {
			await perform(await operations.reviewNote(), asker, { action, project, id, words }, where);
		},
		edited: text => editedText(text, context),
		requireAgent: named => agents.require(named),
	};
	const options = { agent: agent ?? begun.agent, mode: mode ?? begun.mode, resume: undefined };
	const repl = new Repl(context, desk, options, project);
	await withCancel(
		signal => repl.run(signal, { first, hasDue: begun.hasDue }),
		signal => repl.isEndedBy(signal),
	);
}
