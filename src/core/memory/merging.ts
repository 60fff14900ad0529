import type { Change, ExtractionAnswer, MemoryTask, PendingUpdate } from '../../protocol/memory.ts';
import type { Category, Reason } from '../../protocol/memoryNames.ts';
import { redactText } from '../traffic/redact.ts';
import { applyChanges, planId, planOf } from './changes.ts';
import { heldBy, judge, risksOf, type Ground, type Verdict } from './judge.ts';
import { hashOf, lineOf, type StoredNote } from './noteFile.ts';
import type { ProjectFolder } from './projectFolder.ts';

/** What a merge has done, for a person. */
export interface MergeReport {
	readonly added: Readonly<Record<Category, number>>;
	readonly confirmed: number;
	readonly held: number;
	/** Why each of the others is not taken. */
	readonly dropped: readonly string[];
	readonly plan: 'unchanged' | 'updated' | 'held';
	/** Why the summary is not told to the next task; nothing if it is. */
	readonly summaryHeld: readonly Reason[];
}

/** In UTF-16 units. */
const LONGEST_PLAN = 2000;

/**
 * Judges an answer and carries it out: the tray first, then the notes. Each file is whole at any moment, and ids come from the answer. So
 * after a kill the same call does the rest, and a second one changes nothing. Under the project's lock.
 */
export async function mergeAnswer(
	project: ProjectFolder,
	task: MemoryTask,
	answer: ExtractionAnswer,
	ground: Ground,
): Promise<MergeReport> {
	const verdicts = onceEach(answer.updates.map((update, index) => settled(judge(update, index, ground), ground)));
	const plan = await planUpdate(project, task, answer, ground);
	const at = task.extraction.at ?? task.startedAt;
	const taken: Change[] = [];
	const waiting: PendingUpdate[] = [];
	const take = (change: Change, held: readonly Reason[], rest: Pick<PendingUpdate, 'id' | 'evidence' | 'was'>) => {
		if (held.length === 0) taken.push(change);
		else waiting.push({ version: 1, task: task.number, at, held: [...held], change, ...rest });
	};
	for (const each of verdicts) {
		if (each.is === 'change') {
			const { change, held, id, evidence, target } = each;
			take(change, held, { id, evidence, ...(target && { was: hashOf(target.text) }) });
		}
		if (each.is === 'confirmed') taken.push(confirmation(each.note, task.number));
	}
	if (plan) take(plan.change, plan.held, { id: planId(task.number, plan.change.text), evidence: [], was: plan.was });
	const summaryHeld = heldBy(ground.review, risksOf([answer.summary], ground));
	for (const each of waiting) await project.writePending(each);
	await applyChanges(project, taken);
	return {
		added: countOf(verdicts),
		confirmed: verdicts.filter(({ is }) => is === 'confirmed').length,
		held: waiting.length,
		dropped: [
			...verdicts.flatMap(each => (each.is === 'dropped' ? each.why : [])),
			...(summaryHeld.length === 0 ? [] : [`its summary is not told: ${summaryHeld.join(', ')}`]),
		],
		summaryHeld,
		plan: plan === undefined ? 'unchanged' : plan.held.length > 0 ? 'held' : 'updated',
	};
}

/** What an earlier merge of the same answer has added repeats nothing: it is there already. */
function settled(verdict: Verdict, { notes, task }: Ground): Verdict {
	if (verdict.is !== 'confirmed') return verdict;
	return verdict.note.task === task && notes.some(({ id }) => id === verdict.note.id)
		? { is: 'dropped', why: 'this task says it already' }
		: verdict;
}

/** A note that the same answer changes or takes away is not confirmed as well: that would bring its old text back. */
function onceEach(verdicts: readonly Verdict[]): readonly Verdict[] {
	const changed = new Set(
		verdicts.flatMap(each => (each.is === 'change' && each.held.length === 0 ? (each.target?.id ?? []) : [])),
	);
	return verdicts.map(each =>
		each.is === 'confirmed' && changed.has(each.note.id)
			? { is: 'dropped', why: 'the same answer changes that note' }
			: each,
	);
}

function confirmation(note: StoredNote, task: number): Change {
	const isNew = note.seenIn !== task;
	const confirmed = { ...note, seen: note.seen + (isNew ? 1 : 0), seenIn: task };
	return { op: 'put', category: note.category, line: lineOf(confirmed, note.unknown) };
}

async function planUpdate(
	project: ProjectFolder,
	{ number }: MemoryTask,
	{ plan }: ExtractionAnswer,
	ground: Ground,
): Promise<{ change: Extract<Change, { op: 'plan' }>; held: Reason[]; was: string } | undefined> {
	if (!plan) return undefined;
	const { status, todo, questions } = plan;
	const lines = [status, ...todo.map(each => `- [ ] ${each}`), ...questions.map(each => `- ? ${each}`)];
	const said = redactText(lines.map(each => each.replace(/\s+/g, ' ').trim()).join('\n')).slice(0, LONGEST_PLAN);
	const text = `Task ${number}: ${said.trim()}`;
	const present = await planOf(project);
	if (said.trim() === '' || text === present.text.trim()) return undefined;
	const reasons: readonly Reason[] = [
		...risksOf(lines, ground),
		...(present.isOwn ? [] : (['users-own'] as const)),
		...(ground.review === 'all' ? (['review'] as const) : []),
	];
	const held = heldBy(ground.review, reasons);
	return { change: { op: 'plan', text }, held, was: hashOf(present.text) };
}

function countOf(verdicts: readonly Verdict[]): MergeReport['added'] {
	const added = { architecture: 0, decisions: 0, failures: 0 };
	for (const each of verdicts)
		if (each.is === 'change' && each.held.length === 0 && each.change.op === 'put') added[each.change.category]++;
	return added;
}
