import type { Change, Evidence, Note, ProposedUpdate } from '../../protocol/memory.ts';
import type { Category, NoteId, Reason } from '../../protocol/memoryNames.ts';
import { redactText } from '../traffic/redact.ts';
import { entriesOf, isFromOutside, plain, typedIn } from './digest.ts';
import { anchorAt, lineHashes, type Freshness } from './freshness.ts';
import { folded, hashOf, lineOf, noteId, type StoredNote } from './noteFile.ts';
import { hasWordsFromOutside } from './outsideWords.ts';
import { hasSecret, isInstruction } from './risks.ts';
import { similarity, trigramsOf } from './similar.ts';

/** What an update is judged by. */
export interface Ground {
	readonly task: number;
	readonly by: string;
	readonly commit: string | undefined;
	readonly branch: string | undefined;
	readonly digest: string;
	readonly notes: readonly (StoredNote & { freshness: Freshness })[];
	/** The texts' hashes of the notes that the agent was shown. */
	readonly known: Readonly<Record<string, string>>;
	/** Notes that the task's agent was told: it must not confirm them by repeating them. */
	readonly told: readonly NoteId[];
	/** Texts that a person has rejected or retired. */
	readonly retired: readonly string[];
	/** What every agent of the repository reads anyway. */
	readonly documents: readonly string[];
	/** A file of the workspace; `undefined` for what is none. */
	readonly fileText: (path: string) => string | undefined;
	readonly review: 'all' | 'risky' | 'none';
}

export type Verdict =
	| { readonly is: 'dropped'; readonly why: string }
	| { readonly is: 'confirmed'; readonly note: StoredNote }
	| {
			readonly is: 'change';
			/** The id of this update, and of the note that it adds. The same answer has the same ids. */
			readonly id: NoteId;
			readonly change: Change;
			/** The note that it replaces or takes away. */
			readonly target: StoredNote | undefined;
			readonly held: readonly Reason[];
			readonly evidence: Evidence[];
	  };

/** A shorter quote is found anywhere. In UTF-16 units. */
const SHORTEST_QUOTE = 8;
const REPEATED = 0.6;
const RELATED = 0.4;
/** What waits for a person even if the user wants to see nothing. */
const ALWAYS_HELD: ReadonlySet<Reason> = new Set(['secret', 'instruction', 'conflict', 'users-own']);
const NEGATION = /\b(?:no|not|none|nothing|nor|never|cannot|\w+n['’]t|avoid|without|instead of|unused)\b/i;

/** Everything that a program can check about one update, in order: the first check that fails decides. */
export function judge(update: ProposedUpdate, index: number, ground: Ground): Verdict {
	const target = ground.notes.find(({ id }) => id === update.id);
	if (update.op !== 'add' && !target) return dropped('there is no such note');
	if (update.op === 'confirm')
		return target && !isTold(target, ground) ? confirmed(target) : dropped('it was told so');
	const text = folded(redactText((update.op === 'retire' ? update.reason : update.text) ?? ''));
	if (text === '') return dropped('it says nothing');
	if (target?.text === text && target.task === ground.task) return dropped('this task says it already');
	const found = update.evidence.flatMap(each => sourceOf(each, ground) ?? []);
	if (found.length === 0 && update.evidence.length > 0) return dropped('its quotes are nowhere');
	if (update.op !== 'retire') {
		const repeated = repeatOf(text, target, ground);
		if (repeated) return repeated;
	}
	const held = reasonsOf(update, text, target, found, ground);
	return {
		is: 'change',
		id: noteId(ground.task, index, text),
		change: changeOf(update, index, text, target, found, ground),
		target: update.op === 'add' ? undefined : target,
		held: heldBy(ground.review, held),
		evidence: update.evidence.map(({ ref, quote }) => ({ ref: redactText(ref), quote: redactText(quote) })),
	};
}

/** The reasons that count for a user who wants to see all, what is risky, or nothing. */
export function heldBy(review: Ground['review'], reasons: readonly Reason[]): Reason[] {
	return reasons.filter(each => review !== 'none' || ALWAYS_HELD.has(each));
}

/** Why words that have no quotes, such as a plan or a summary, may not be taken unseen. */
export function risksOf(said: readonly string[], { digest }: Pick<Ground, 'digest'>): Reason[] {
	const typed = typedIn(digest);
	const reasons: readonly (readonly [Reason, boolean])[] = [
		['secret', hasSecret(said.join('\n'))],
		['instruction', said.some(each => isInstruction(each, typed))],
		['from-outside', said.some(each => hasWordsFromOutside(each, digest))],
	];
	return reasons.flatMap(([reason, holds]) => (holds ? [reason] : []));
}

interface Source {
	readonly kind: 'user' | 'command' | 'answer' | 'file' | 'outside';
	readonly anchor?: ReturnType<typeof anchorAt>;
}

/** Where a quote really is: at the named place, else anywhere in the digest. */
function sourceOf({ ref, quote }: Evidence, { digest, fileText }: Ground): Source | undefined {
	const wanted = plain(quote);
	if (wanted.length < SHORTEST_QUOTE) return undefined;
	const [, path = '', from] = /^([^\s:][^:]*?)(?::(\d+)(?:-\d+)?)?$/.exec(ref) ?? [];
	const text = path === '' ? undefined : fileText(path);
	if (text !== undefined && plain(text).includes(wanted))
		return { kind: 'file', anchor: anchorOf(path, text, quote, from) };
	const entries = entriesOf(digest);
	const named = entries.get(ref);
	const holding =
		named && plain(named.text).includes(wanted)
			? ([[ref, named]] as const)
			: [...entries].filter(([, each]) => plain(each.text).includes(wanted));
	const [first] = holding;
	if (!first) return undefined;
	const [id, entry] = first;
	if (isFromOutside(entry)) return { kind: 'outside' };
	return { kind: id.startsWith('p') ? 'user' : id.startsWith('a') ? 'answer' : 'command' };
}

/** The lines of a quote in a file. */
function anchorOf(path: string, text: string, quote: string, from: string | undefined): Source['anchor'] {
	const wanted = quote.split('\n').map(line => line.trim());
	const [first = ''] = wanted.filter(Boolean);
	const lines = text.split('\n');
	const at = lines.findIndex(line => line.includes(first));
	const start = at < 0 ? Number(from ?? 0) : at + 1;
	return anchorAt(path, lineHashes(text), start, start + wanted.length - 1);
}

/** What is nearly said already: by a note, by what the agent was told, or by what every agent reads. */
function repeatOf(
	text: string,
	target: StoredNote | undefined,
	{ notes, told, retired, documents }: Ground,
): Verdict | undefined {
	const own = trigramsOf(text);
	// The opposite is said in nearly the same words.
	const repeats = (other: string) => !isOpposite(text, other) && similarity(own, trigramsOf(other)) >= REPEATED;
	const same = notes.find(note => note.id !== target?.id && repeats(note.text));
	if (same) return told.includes(same.id) ? dropped('it was told so') : confirmed(same);
	if (retired.some(repeats)) return dropped('it was retired');
	if (documents.some(repeats)) return dropped('a document says it');
	return undefined;
}

/** Only one of two texts denies something. */
function isOpposite(one: string, other: string): boolean {
	return NEGATION.test(one) !== NEGATION.test(other);
}

function reasonsOf(
	update: ProposedUpdate,
	text: string,
	target: (StoredNote & { freshness: Freshness }) | undefined,
	found: readonly Source[],
	ground: Ground,
): Reason[] {
	const all = (kind: Source['kind']) => found.length > 0 && found.every(each => each.kind === kind);
	const said = [update.text, update.reason].filter(each => each !== null).join('\n');
	const reasons: readonly (readonly [Reason, boolean])[] = [
		['secret', hasSecret(said)],
		['instruction', isInstruction(said, typedIn(ground.digest))],
		['from-outside', all('outside') || hasWordsFromOutside(said, ground.digest)],
		['no-evidence', found.length === 0],
		['inferred', all('answer')],
		['users-own', target?.by === 'user'],
		['conflict', target !== undefined && ground.known[target.id] !== hashOf(target.text)],
		['contradicts', contradicts(update, text, target, ground)],
		['review', ground.review === 'all'],
	];
	return reasons.flatMap(([reason, holds]) => (holds ? [reason] : []));
}

function contradicts(
	{ op }: ProposedUpdate,
	text: string,
	target: (StoredNote & { freshness: Freshness }) | undefined,
	{ notes, retired, documents }: Ground,
): boolean {
	const stands = (note: StoredNote & { freshness: Freshness }) =>
		note.anchors.length > 0 && (note.freshness === 'fresh' || note.freshness === 'moved');
	if (op === 'retire') return target !== undefined && stands(target);
	const own = trigramsOf(text);
	const denies = (other: string, least: number) =>
		isOpposite(text, other) && similarity(own, trigramsOf(other)) >= least;
	return (
		notes.some(note => note.id !== target?.id && denies(note.text, RELATED)) ||
		[...retired, ...documents].some(other => denies(other, REPEATED))
	);
}

function changeOf(
	update: ProposedUpdate,
	index: number,
	text: string,
	target: StoredNote | undefined,
	found: readonly Source[],
	{ task, by, commit, branch }: Ground,
): Change {
	if (update.op === 'retire' && target) return { op: 'retire', id: target.id, reason: text };
	const category: Category = target?.category ?? update.category ?? 'architecture';
	const anchors = found.flatMap(({ anchor }) => anchor ?? []).slice(0, 3);
	const note: Note = {
		id: target?.id ?? noteId(task, index, text),
		category,
		text,
		task,
		by,
		commit,
		branch,
		anchors: anchors.length === 0 ? (target?.anchors ?? []) : anchors,
		seen: target?.seen ?? 1,
		seenIn: task,
		isPinned: target?.isPinned ?? false,
	};
	return { op: 'put', category, line: lineOf(note, target?.unknown) };
}

const dropped = (why: string): Verdict => ({ is: 'dropped', why });
const confirmed = (note: StoredNote): Verdict => ({ is: 'confirmed', note });

function isTold({ id }: StoredNote, { told }: Ground): boolean {
	return told.includes(id);
}
