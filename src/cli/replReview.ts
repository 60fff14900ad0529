import { changedLines, lineDiff } from '../base/lineDiff.ts';
import { NancyError } from '../base/errors.ts';
import type { NoteId } from '../protocol/memoryNames.ts';
import type { NotesOutput, ProposalOutput } from '../protocol/output/memory.ts';
import { proposedWord, reasonWords } from '../words/notes.ts';
import type { PromptedLines } from '../conversations/promptedLines.ts';
import { indented, printable, printableLine } from './words.ts';

type Waiting = NotesOutput['pending'][number];

/** What a review asks for. */
export interface Reviewing {
	proposal(id: NoteId): Promise<ProposalOutput>;
	/** @param words to be accepted instead */
	decide(action: 'accept' | 'reject', id: NoteId, words?: string): Promise<void>;
	/** Opens a text in the user's editor. @returns what it is then */
	edited(text: string): Promise<string>;
}

const ANSWERS = ['accept', 'edit', 'reject', 'skip', 'quit'] as const;
type ReviewAnswer = (typeof ANSWERS)[number];

const QUESTION = 'accept, edit, reject, skip or quit? ';
/** So many lines are shown around a change. */
const AROUND = 2;

/** Shows what waits, one after the other, as a change of its file, and takes a decision about each. */
export async function reviewWaiting(
	{ pending }: Pick<NotesOutput, 'pending'>,
	lines: PromptedLines,
	desk: Reviewing,
	fail: (error: unknown) => void,
): Promise<void> {
	if (pending.length === 0) return lines.say('nothing waits for you');
	for (const [at, waiting] of pending.entries()) {
		try {
			const proposal = await desk.proposal(waiting.id);
			lines.say([`${at + 1} of ${pending.length}`, ...shownOf(waiting, proposal)].join('\n'));
			if ((await decided(waiting, lines, desk, fail)) === 'quit') return lines.say(leftText(pending.length - at));
		} catch (error) {
			// Another window may have decided about this one.
			fail(error);
		}
	}
}

/** Asks until there is an answer that can be carried out. */
async function decided(
	waiting: Waiting,
	lines: PromptedLines,
	desk: Reviewing,
	fail: (error: unknown) => void,
): Promise<ReviewAnswer> {
	for (;;) {
		const typed = await lines.ask(QUESTION);
		const answer = typed === undefined ? 'quit' : answerOf(typed);
		if (answer === undefined) lines.say(`type ${ANSWERS.join(', ')}, or the first letter`);
		else if (answer === 'skip' || answer === 'quit') return answer;
		else
			try {
				const words = answer === 'edit' ? await editedWords(waiting, lines, desk) : undefined;
				await desk.decide(answer === 'reject' ? 'reject' : 'accept', waiting.id, words);
				lines.say(answer === 'edit' ? `accepted: ${printableLine(words ?? '', Infinity)}` : `${answer}ed`);
				return answer;
			} catch (error) {
				fail(error);
			}
	}
}

function answerOf(typed: string): ReviewAnswer | undefined {
	const word = typed.toLowerCase();
	return ANSWERS.find(each => each === word || each[0] === word);
}

/** @throws NancyError for what has no words of its own, and if nothing was changed */
async function editedWords({ what, text }: Waiting, lines: PromptedLines, desk: Reviewing): Promise<string> {
	if (what === 'plan' || what === 'retire')
		throw new NancyError(
			'bad-usage',
			what === 'plan'
				? 'a plan is edited in its own file, once it is accepted: nancy notes <project> plan --edit'
				: 'a note that is to go has no words to edit',
		);
	const words = (await lines.lend('an editor', () => desk.edited(text))).replace(/\s+/g, ' ').trim();
	if (words === '') throw new NancyError('bad-usage', 'no words are left; reject takes the note away');
	if (words === text) throw new NancyError('bad-usage', 'the words are the same; accept takes them');
	return words;
}

/** All that a person decides about: why it waits, its source, and what it makes of its file. */
function shownOf({ id, what, held, task, note, evidence }: Waiting, { file, before, after }: ProposalOutput): string[] {
	const from = task === 0 ? '' : `, task ${task}`;
	return [
		`${id}  ${String(proposedWord(what))}${from}; waits: ${held.map(each => String(reasonWords(each))).join(', ')}`,
		...(note ? [indented(`now: ${printableLine(note.text, Infinity)}`, '  ')] : []),
		...evidence.map(({ ref, quote }) => `  ${printableLine(ref)}: "${printableLine(quote, 400)}"`),
		`  notes/${file}`,
		...changedLines(lineDiff(before, after), AROUND).map(line => `  ${printable(line)}`),
	];
}

function leftText(count: number): string {
	return count === 1 ? 'one waits still' : `${count} wait still`;
}
