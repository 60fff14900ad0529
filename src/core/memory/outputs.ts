import type { NotesOutput, ProjectOutput } from '../../protocol/output/memory.ts';
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
	{ record, tasks, plan, pending, problems }: ProjectState,
	notes: readonly KnownNote[],
): NotesOutput {
	return {
		project: record.name,
		plan,
		notes: notes.map(({ anchors, isPinned, id, category, text, task, by, commit, branch, freshness, seen }) => ({
			id,
			category,
			text,
			task,
			by,
			commit,
			branch,
			freshness,
			seen,
			places: anchors.map(({ path, from, to }) => `${path}:${from}-${to}`),
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
		tasks: tasks.map(({ number, prompt, agent, startedAt, ok, summary, extraction: { state, why } }) => ({
			prompt,
			agent,
			startedAt,
			ok,
			summary,
			why,
			task: number,
			extraction: state,
		})),
		problems: [...problems],
	};
}
