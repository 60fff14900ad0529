import { counted } from '../base/counted.ts';
import { NancyError } from '../base/errors.ts';
import { NotesFile, NOTES_FILES } from '../protocol/memoryNames.ts';
import type { ExtractedOutput, NotesOutput, ProjectOutput, WithoutNotes } from '../protocol/output/memory.ts';
import { noNotesWords } from '../words/notes.ts';
import { ago, printableLine } from './words.ts';

export function projectLine({
	project,
	status,
	tasks,
	lastTaskAt,
	notes,
	pending,
	due,
	parent,
	costUsd,
}: ProjectOutput): string {
	const known = Object.values(notes).reduce((sum, count) => sum + count, 0);
	const facts = [
		status === 'active' ? '' : status,
		counted(tasks, 'task'),
		counted(known, 'note'),
		pending === 0 ? '' : `${pending} waiting for you`,
		due === 0 ? '' : `${due} to extract`,
		parent === undefined ? '' : `reads ${parent}`,
		costUsd === 0 ? '' : `notes cost $${costUsd.toFixed(2)}`,
		lastTaskAt === undefined ? '' : ago(lastTaskAt),
	];
	return `${project}  ${facts.filter(Boolean).join(' - ')}`;
}

/** @throws NancyError `bad-usage` for a word that names no notes file */
export function notesFileOf(typed: string | undefined): NotesFile | undefined {
	const file = NotesFile.safeParse(typed);
	if (typed === undefined || file.success) return file.data;
	throw new NancyError('bad-usage', `use ${NOTES_FILES.join(', ')}, not "${printableLine(typed)}"`);
}

/** @param category only its notes, or the plan; with `pending`, only what waits */
export function noteLines(found: NotesOutput, category: NotesFile | undefined, isPending: boolean): string[] {
	const lines: string[] = [];
	if (!isPending) {
		if ((category ?? 'plan') === 'plan' && found.plan.trim() !== '')
			lines.push(
				'plan',
				...found.plan
					.trim()
					.split('\n')
					.map(line => `  ${printableLine(line, 400)}`),
			);
		for (const each of ['failures', 'decisions', 'architecture'] as const) {
			const own = found.notes.filter(note => note.category === each);
			if ((category !== undefined && category !== each) || own.length === 0) continue;
			lines.push(each, ...own.map(noteLine));
		}
	}
	if (category === undefined && found.pending.length > 0) {
		lines.push('waiting for you (nancy notes accept|reject <id>)');
		lines.push(...found.pending.flatMap(waitingLines));
	}
	if (lines.length > 0) return lines;
	return [category === 'plan' ? 'no plan' : 'no notes'];
}

/** What a person decides about, whole: nothing is accepted that was not shown. */
function waitingLines({ id, what, text, note, task, held, evidence }: NotesOutput['pending'][number]): string[] {
	const why = `(${task === 0 ? '' : `task ${task}; `}${held.join(', ')})`;
	const below = (line: string) => `            ${line}`;
	return [
		...(what === 'plan'
			? [`  ${id}  plan ${why}`, ...text.split('\n').map(line => below(printableLine(line, Infinity)))]
			: [`  ${id}  ${what}: ${printableLine(text, Infinity)} ${why}`]),
		...(note ? [below(`${note.id} now: ${printableLine(note.text, Infinity)}`)] : []),
		...evidence.map(({ ref, quote }) => below(`${printableLine(ref)}: "${printableLine(quote, 200)}"`)),
	];
}

function noteLine({ id, text, task, by, places, freshness, pinned }: NotesOutput['notes'][number]): string {
	const facts = [
		...(places[0] === undefined ? [] : [printableLine(places[0])]),
		by === 'repository' ? 'from the repository' : task === 0 ? 'by you' : `task ${task} of ${by}`,
		...(freshness === 'fresh' ? [] : [freshness]),
		...(pinned ? ['pinned'] : []),
	];
	return `  ${id}  ${printableLine(text, 400)} (${facts.join(', ')})`;
}

/** What an extraction has brought, in one line. */
export function extractedLine(done: ExtractedOutput): string {
	const { state, task, added, confirmed, held, plan, dropped } = done;
	if (state === 'none') return 'nothing is to be extracted';
	if (state === 'failed') return `no notes of task ${task}: ${noNotesLine(done) ?? ''}`;
	const facts = [
		...Object.entries(added).flatMap(([category, count]) => (count === 0 ? [] : `✓ ${category}: ${count} new`)),
		...(plan === 'updated' ? ['✓ plan: updated'] : []),
		...(confirmed === 0 ? [] : [`${confirmed} confirmed`]),
		...(held === 0 ? [] : [`${held} waiting for you`]),
		...(dropped.length === 0 ? [] : [`${dropped.length} dropped`]),
	];
	return `${facts.join(', ') || 'nothing new'} (task ${task})`;
}

/** Why a task has no notes; `undefined` if nothing says so. */
export function noNotesLine(without: WithoutNotes): string | undefined {
	const words = noNotesWords(without);
	return words === undefined ? undefined : printableLine(String(words), 300);
}

export function historyLines({ tasks }: NotesOutput): string[] {
	if (tasks.length === 0) return ['no tasks'];
	return tasks.map(each => {
		const { task, prompt, agent, ending, ok, startedAt, extraction, summary } = each;
		const state = ok === true ? 'ok' : endingWord(ending);
		const notes = [extraction, noNotesLine(each)].filter(Boolean).join(', ');
		return `  ${task}  ${printableLine(summary ?? prompt, 120)} (${agent}, ${state}, ${ago(startedAt)}; notes: ${notes})`;
	});
}

function endingWord(ending: NotesOutput['tasks'][number]['ending']): string {
	switch (ending) {
		case undefined:
			return 'not ended';
		case 'cancelled':
			return 'broken off';
		case 'killed':
			return 'killed';
		case 'timeout':
			return 'took too long';
		default:
			return 'failed';
	}
}
