import { ExtractionAnswer, type Evidence, type MemoryTask } from '../../protocol/memory.ts';
import type { NotesOutput, ProjectOutput } from '../../protocol/output/memory.ts';
import { redactText } from '../traffic/redact.ts';
import { folded, noteId } from './noteFile.ts';
import type { KnownNote, ProjectState } from './state.ts';

/** A project as a list shows it. */
export function projectOutput({ record, tasks, notes, pending }: ProjectState): ProjectOutput {
	const { name, status, created, repository, branch, parent } = record;
	const count = (category: string) => notes.filter(note => note.category === category).length;
	const usage = tasks.flatMap(({ extraction }) => extraction.usage ?? []);
	const sum = (of: (each: (typeof usage)[number]) => number | undefined) =>
		usage.reduce((total, each) => total + (of(each) ?? 0), 0);
	return {
		project: name,
		status,
		created,
		repository,
		branch,
		parent,
		tasks: tasks.length,
		lastTaskAt: tasks.at(-1)?.startedAt,
		notes: { architecture: count('architecture'), decisions: count('decisions'), failures: count('failures') },
		pending: pending.length,
		due: tasks.filter(({ extraction: { state } }) => ['due', 'running', 'answered', 'failed'].includes(state))
			.length,
		inputTokens: sum(each => each.inputTokens),
		outputTokens: sum(each => each.outputTokens),
		costUsd: sum(each => each.costUsd),
	};
}

/** Everything that is known of a project. */
export function notesOutput(
	{ record, tasks, plan, pending, problems, folder, digests }: ProjectState,
	notes: readonly KnownNote[],
): NotesOutput {
	const quoted = evidenceOf(tasks);
	const taskOf = (of: number) => tasks.find(({ number }) => number === of);
	return {
		project: record.name,
		folder,
		plan,
		notes: notes.map(({ anchors, isPinned, id, category, text, task, by, commit, branch, freshness, seen }) => ({
			id,
			category,
			text,
			task,
			by,
			session: taskOf(task)?.session,
			commit,
			dirty: taskOf(task)?.isDirty,
			branch,
			freshness,
			seen,
			places: anchors.map(({ path, from, to }) => `${path}:${from}-${to}`),
			evidence: quoted.get(`${task} ${id}`) ?? [],
			pinned: isPinned,
		})),
		pending: pending.map(({ id, task, change, was, text, target, held, evidence }) => ({
			id,
			task,
			text,
			held,
			evidence,
			what: change.op === 'put' ? (was === undefined ? 'add' : 'amend') : change.op,
			note: target && { id: target.id, text: target.text },
			category: change.op === 'put' ? change.category : undefined,
		})),
		tasks: tasks.map(
			({ number, prompt, agent, startedAt, ending, ok, summary, extraction: { state, cause, why } }) => ({
				prompt,
				agent,
				startedAt,
				ending,
				ok,
				summary,
				cause,
				why,
				task: number,
				extraction: state,
				digest: digests.get(number),
			}),
		),
		problems: [...problems],
	};
}

/** What the saved answers of tasks quote, by the task and the note that each update was for. */
function evidenceOf(tasks: readonly MemoryTask[]): Map<string, Evidence[]> {
	const found = new Map<string, Evidence[]>();
	for (const { number, extraction } of tasks) {
		const answer = ExtractionAnswer.safeParse(extraction.answer);
		for (const [index, { op, id, text, evidence }] of (answer.data?.updates ?? []).entries()) {
			const own = op === 'add' ? noteId(number, index, folded(redactText(text ?? ''))) : id;
			found.set(`${number} ${own}`, evidence);
		}
	}
	return found;
}
