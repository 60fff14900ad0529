import { visible } from '../../base/visible.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';
import { firstOf } from '../traffic/eventDetail.ts';
import type { EventWords } from '../driver/eventWords.ts';
import type { TrafficNode } from '../traffic/node.ts';
import { redactText } from '../traffic/redact.ts';
import { TurnArranger } from '../traffic/turns.ts';
import { folded } from './noteFile.ts';
import { Outside } from './outside.ts';
import { bytesOfTokens } from './tokens.ts';

/** What the extraction of a task reads. Each entry begins with its id; its further lines are indented, so that no text can forge one. */
export interface Digest {
	readonly text: string;
	/** Nothing can be learnt from it, so no model is asked. */
	readonly isPoor: boolean;
}

/** Words with their time, UTC, ISO 8601. */
export interface Said {
	readonly at: string;
	readonly text: string;
}

export interface FileChange {
	readonly path: string;
	/** Its place before it was renamed. */
	readonly before?: string;
	readonly status: string;
	/** Absent for a binary file. */
	readonly lines?: { readonly insertions: number; readonly deletions: number };
}

/** What is known of a task when it has ended. */
export interface TaskSources {
	/** The records of its sessions, since it began. */
	readonly records: readonly TrafficRecord[];
	readonly wordsOf: (driver: DriverId) => EventWords | undefined;
	/** All that a person has asked it for through Nancy; `typed` where a person types in its terminal, of which hooks tell. */
	readonly given: readonly Said[] | 'typed';
	/** Texts of Nancy's that the agent was given with its prompt: it must not learn them from itself. */
	readonly delivered: readonly string[];
	/** What a person has sent it while it worked. */
	readonly steering: readonly Said[];
	/** What the agent has said by its own record, for a CLI whose events do not tell. */
	readonly answers: readonly Said[];
	/** Files that have changed since it began. */
	readonly changes: readonly FileChange[];
}

interface Entry {
	readonly text: string;
	readonly isKept: boolean;
}

/** `p`: a person's words. `e`: what has happened. `a`: the agent's words. */
interface Found {
	readonly letter: 'p' | 'e' | 'a';
	readonly at: string;
	readonly head: string;
	readonly text: string;
	readonly isKept: boolean;
	readonly isCall?: true;
	/** Only for a call: whether it alone can teach something. */
	readonly isRich?: boolean;
}

/** In UTF-16 units. */
const LONGEST_WORDS = 12_000;
const LONGEST_LINE = 400;
const LINES_OF_FAILURE = 20;
const FIRST_LINES = 3;
const LAST_LINES = 5;
/** Files that the task has changed. */
const MOST_CHANGES = 60;
/** A task of fewer calls, in which nothing failed or changed, teaches nothing. */
const FEWEST_CALLS = 3;

/** Behind the name of a tool that may bring what others wrote. */
const FROM_OUTSIDE = ' [from outside]';
/** Tools that write. */
const WRITING = /write|edit|create|patch|replace/i;

/** Makes the digest of a task. @param most in tokens, about */
export function digestOf(sources: TaskSources, most: number): Digest {
	const said = new TaskReader(sources).found();
	const calls = said.filter(({ isCall }) => isCall);
	const isRich = sources.changes.length > 0 || calls.some(({ isRich }) => isRich);
	const last: Found[] = sources.changes.length === 0 ? [] : [changesEntry(sources.changes)];
	const inOrder = [...said.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)), ...last];
	return {
		text: bounded(numbered(inOrder), bytesOfTokens(most)),
		isPoor: !isRich && said.filter(({ letter }) => letter === 'p').length < 2 && calls.length < FEWEST_CALLS,
	};
}

/** Reads what its sources tell of a task. */
class TaskReader {
	private readonly payloads: ReadonlyMap<string, unknown>;
	private readonly nodes: readonly TrafficNode[];
	private readonly outside: Outside;
	/** Nancy's own texts, and those that have an entry of their own. */
	private readonly known: readonly string[];
	private stoppedAt = '';

	constructor(private readonly sources: TaskSources) {
		const { records, wordsOf, delivered, steering } = sources;
		this.payloads = new Map(
			records.flatMap(each => (each.type === 'event' ? [[each.id, each.payload] as const] : [])),
		);
		const arranger = new TurnArranger(wordsOf);
		for (const record of records) arranger.add(record);
		this.nodes = arranger.turns.flatMap(({ nodes }) => nodes);
		this.outside = new Outside(this.nodes, wordsOf, node => this.inputOf(node));
		this.known = [...delivered, ...steering.map(({ text }) => text)];
	}

	found(): Found[] {
		const { steering, given } = this.sources;
		const said = [...steering, ...(given === 'typed' ? [] : given)].map(({ at, text }) =>
			userWords(at, redactText(text)),
		);
		const own = this.nodes.filter(({ event }) => event.subagent === undefined);
		const found = [...said, ...own.flatMap(node => this.read(node) ?? [])];
		return found.filter(({ letter, text }) => letter === 'e' || text.trim() !== '');
	}

	private read(node: TrafficNode): Found | undefined {
		switch (node.event.kind) {
			case 'prompt':
				return this.prompt(node);
			case 'tool-start':
				return this.call(node);
			case 'stop':
				return this.lastWords(node);
			default:
				return undefined;
		}
	}

	/** Other agents, or a job in the background, may have written what nobody has typed. So may an agent that writes among its own events. */
	private prompt(node: TrafficNode): Found | undefined {
		const { at, event } = node;
		const { given } = this.sources;
		const text = without(
			this.inputOf(node) || this.outputOf(node),
			event.isWake === true ? this.known : this.sources.delivered,
		);
		if (event.isWake !== true) {
			if (given === 'typed') return userWords(at, text);
			// Also where Nancy or the CLI has put words around it.
			if (given.some(each => plain(text).includes(plain(redactText(each.text))))) return undefined;
		}
		const what = event.isWake === true ? 'Wake' : 'Prompt';
		return { letter: 'e', at, head: `${what}${FROM_OUTSIDE} (ok):`, text, isKept: false };
	}

	private call(node: TrafficNode): Found {
		const { at, event, outcome } = node;
		const tool = node.tool?.trim() || 'unknown tool';
		const isFailed = outcome === 'failed' || outcome === 'denied';
		const head = `${tool}${this.outside.mayCome(node) ? FROM_OUTSIDE : ''} (${outcome}): ${event.summary ?? ''}`;
		const text = shownOf(node, this.outputOf(node));
		const isRich = isFailed || WRITING.test(tool);
		return { letter: 'e', at, head, text, isKept: isFailed, isCall: true, isRich };
	}

	private lastWords({ at, id }: TrafficNode): Found {
		const reported = firstOf(this.payloads.get(id), ['last_assistant_message', 'prompt_response', 'text']);
		const recorded = this.sources.answers.findLast(each => each.at > this.stoppedAt && each.at <= at)?.text;
		this.stoppedAt = at;
		const text = without(reported ?? recorded ?? '', this.sources.delivered);
		return { letter: 'a', at, head: 'last words of the agent', text, isKept: true };
	}

	private inputOf({ id, event }: TrafficNode): string {
		return firstOf(this.payloads.get(id), this.sources.wordsOf(event.driver)?.input ?? []) ?? '';
	}

	private outputOf({ id, endId, event }: TrafficNode): string {
		return firstOf(this.payloads.get(endId ?? id), this.sources.wordsOf(event.driver)?.output ?? []) ?? '';
	}
}

function userWords(at: string, text: string): Found {
	return { letter: 'p', at, head: 'user', text, isKept: true };
}

/** What git says of the task. Names of files are what others may have chosen, as in any listing of a folder. */
function changesEntry(changes: readonly FileChange[]): Found {
	const lines = changes.slice(0, MOST_CHANGES).map(({ path, before, status, lines: count }) => {
		const size = count ? ` +${count.insertions} -${count.deletions}` : '';
		return cut(`${status} ${before === undefined ? '' : `${before} -> `}${path}${size}`.replace(/\s+/g, ' '));
	});
	if (changes.length > lines.length) lines.push(`(${changes.length} files in all)`);
	return { letter: 'e', at: '', head: 'changes of files (ok):', text: lines.join('\n'), isKept: true };
}

/** With ids that count each kind. */
function numbered(found: readonly Found[]): Entry[] {
	const counts = { p: 0, e: 0, a: 0 };
	return found.map(({ letter, head, text, isKept }) => ({
		text: entry(`${letter}${++counts[letter]}`, head, text),
		isKept,
	}));
}

/** The part of a call's output that can teach something. Text that was read or written is named, not repeated. */
function shownOf({ outcome, isOnFile }: TrafficNode, output: string): string {
	const lines = output.trim() === '' ? [] : output.trimEnd().split('\n');
	const isFailed = outcome === 'failed' || outcome === 'denied';
	if (isOnFile === true && !isFailed) return lines.length === 0 ? '' : `${lines.length} lines`;
	if (isFailed) return lines.slice(-LINES_OF_FAILURE).map(cut).join('\n');
	const shown =
		lines.length <= FIRST_LINES + LAST_LINES
			? lines
			: [...lines.slice(0, FIRST_LINES), `(${lines.length} lines in all)`, ...lines.slice(-LAST_LINES)];
	return shown.map(cut).join('\n');
}

/** The only form of an entry. */
function entry(id: string, head: string, text: string): string {
	const lines = softened(middleCut(redactText(text.trim())))
		.split('\n')
		.map(line => `  ${line}`);
	return [`${id} ${softened(head).replace(/\s+/g, ' ')}`, ...(text.trim() === '' ? [] : lines)].join('\n');
}

/**
 * Without secrets and hidden characters. A CLI takes `@path` for a file to read, whatever the permissions; a character of no width stops
 * that in each. No text ends the digest.
 */
function softened(text: string): string {
	return visible(redactText(text))
		.replace(/@/g, '@\u200b')
		.replace(/<(?=\/?\w)/g, '<\u200b');
}

function without(text: string, delivered: readonly string[]): string {
	return delivered.filter(each => each !== '').reduce((left, each) => left.split(each.trim()).join(''), text);
}

function cut(line: string): string {
	return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)} …`;
}

function middleCut(text: string): string {
	if (text.length <= LONGEST_WORDS) return text;
	const half = LONGEST_WORDS / 2;
	return `${text.slice(0, half)}\n… (${text.length - LONGEST_WORDS} characters left out) …\n${text.slice(-half)}`;
}

/** The first entry, what failed and was said, and the end stay; the middle goes, and says so. */
function bounded(entries: readonly Entry[], most: number): string {
	const sizes = entries.map(({ text }) => Buffer.byteLength(text) + 1);
	let room = most - 100;
	const kept = new Set<number>();
	const take = (at: number, limit: number) => {
		const size = sizes[at] ?? 0;
		if (kept.has(at) || size > room - limit) return;
		kept.add(at);
		room -= size;
	};
	take(0, 0);
	for (let at = entries.length - 1; at > 0 && room > (most * 2) / 3; at--) take(at, 0);
	for (const [at, { isKept }] of entries.entries()) if (isKept) take(at, 0);
	for (let at = entries.length - 1; at > 0; at--) take(at, 0);
	const left = entries.length - kept.size;
	const shown = entries.filter((_, at) => kept.has(at)).map(({ text }) => text);
	return [...(left === 0 ? [] : [`(${left} entries of the middle are left out)`]), ...shown, ''].join('\n');
}

/** The entries of a digest by their ids. */
export function entriesOf(digest: string): ReadonlyMap<string, { head: string; text: string }> {
	const found = new Map<string, { head: string; text: string }>();
	for (const each of digest.split(/\n(?=[pea]\d+ )/)) {
		const [, id, head = ''] = /^([pea]\d+) ([^\n]*)/.exec(each) ?? [];
		if (id !== undefined) found.set(id, { head, text: each });
	}
	return found;
}

/** What the user has typed, in white space of one kind. */
export function typedIn(digest: string): string {
	const words = (text: string) => plain(text.slice(text.indexOf('\n') + 1));
	return [...entriesOf(digest)].flatMap(([id, { text }]) => (id.startsWith('p') ? words(text) : [])).join('\n');
}

/** As a text is compared with another: a digest has characters of no width behind some signs. */
export function plain(text: string): string {
	return folded(text.replaceAll('\u200b', ''));
}

/** The entry brings words of the web or of another server. */
export function isFromOutside({ head }: { head: string }): boolean {
	return /^\S.* \[from outside\] \(/.test(head);
}
