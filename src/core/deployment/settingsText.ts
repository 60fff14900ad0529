import { parseTree, printParseErrorCode, visit, type Node, type ParseError } from 'jsonc-parser';
import { NancyError } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import type { DeployedEntry } from '../../protocol/deployment.ts';
import type { SettingsEdit } from '../driver/deploymentPlan.ts';
import { entryOf, hasTwins, oursIn, removable, type Found, type IsOurs, type Path } from './ownNodes.ts';
import { withLast, withoutChild, type Layout } from './textEdits.ts';

type Entry = SettingsEdit['entries'][number];

/** Longest settings file that Nancy edits, in UTF-16 units. Editing is quadratic in the worst case. */
const LONGEST = 16 * 1024 * 1024;
/** Nested nodes. A property is one, its value another. */
const DEEPEST = 500;

/**
 * A JSON settings file of another tool as text, edited in place: comments, order, indentation and line ends stay. Throws `settings-broken`
 * with file, line and column for an invalid file, and changes nothing then.
 */
export function withEntries(file: string, text: string, entries: readonly Entry[]): string {
	const bare = withoutMark(text);
	const root = check(file, bare.text, entries);
	const rest = setAside(bare.text, root, new Set(entries.map(({ path }) => path[0] ?? '')));
	const layout = layoutOf(bare.text);
	let result = rest.text;
	for (const { path, value } of entries) result = withEntry(result, path, value, layout);
	return bare.mark + rest.putBack(result);
}

/**
 * The text without the entries that `isOurs` recognises by a string in them, and without the parts that this leaves empty. The rest stays
 * byte for byte.
 */
export function withoutEntries(file: string, text: string, isOurs: IsOurs): string {
	return without(file, text, root => oursIn(root, isOurs, { innermost: true }));
}

/** The same without entries that `isWhole` knows. One that says anything more stays, whatever strings it has. */
export function withoutWhole(
	file: string,
	text: string,
	isOurs: IsOurs,
	isWhole: (entry: DeployedEntry) => boolean,
): string {
	const rest = without(file, text, root =>
		oursIn(root, isOurs).filter(found => !hasTwins(found.node) && isWhole(entryOf(found))),
	);
	return commentsIn(rest) === commentsIn(text) ? rest : text;
}

/** CLIs differ in where a comment ends: what one takes for a comment may be an entry for another. So none may go with an entry. */
function commentsIn(text: string): number {
	let count = 0;
	visit(text, { onComment: () => count++ });
	return count;
}

function without(file: string, text: string, find: (root: Node | undefined) => Found[]): string {
	const bare = withoutMark(text);
	const root = parsed(file, bare.text);
	const found = find(root);
	if (found.length === 0) return text;
	for (const { path } of found) refuseTwins(file, bare.text, root, path);
	const rest = setAside(bare.text, root, new Set(found.map(({ path }) => String(path[0]))));
	let result = rest.text;
	for (;;) {
		const ours = removable(find(parsed(file, result))[0]);
		if (!ours) return bare.mark + rest.putBack(result);
		result = withoutChild(result, ours.holder, ours.child);
	}
}

/** Whether the file holds exactly these entries of ours and no others. */
export function holdsExactly(file: string, text: string, entries: readonly Entry[], isOurs: IsOurs): boolean {
	const root = parsed(file, withoutMark(text).text);
	const texts = (of: readonly Entry[]) =>
		JSON.stringify(of.map(({ path, value }) => JSON.stringify([path, value])).sort());
	return texts(oursIn(root, isOurs).map(entryOf)) === texts(entries);
}

/** The entries of ours in a file, as {@link withEntries} would write them. */
export function entriesAmong(file: string, text: string, isOurs: IsOurs): DeployedEntry[] {
	return oursIn(parsed(file, withoutMark(text).text), isOurs).map(entryOf);
}

/** The strings by which `isOurs` recognises entries. */
export function oursAmong(file: string, text: string, isOurs: IsOurs): string[] {
	const found: string[] = [];
	oursIn(parsed(file, withoutMark(text).text), (value, key) => isOurs(value, key) && found.push(value) > 0);
	return found;
}

/** All strings in a JSON value, also those deep in it. */
export function stringsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Comments and trailing commas are fine for Nancy. Some CLIs then ignore their whole settings file. */
export function isPlainJson(text: string): boolean {
	try {
		JSON.parse(withoutMark(text).text || '{}');
		return true;
	} catch {
		return false;
	}
}

function withoutMark(text: string): { mark: string; text: string } {
	return text.startsWith('\uFEFF') ? { mark: '\uFEFF', text: text.slice(1) } : { mark: '', text };
}

/**
 * Replaces the values of all other properties of the root by zeros. However large they are, they then cost nothing, and no edit can touch
 * them.
 */
function setAside(
	text: string,
	root: Node | undefined,
	kept: ReadonlySet<string>,
): { text: string; putBack: (edited: string) => string } {
	const others = (tree: Node | undefined) =>
		(tree?.children ?? [])
			.filter(property => !kept.has(String(property.children?.[0]?.value)))
			.flatMap(property => property.children?.[1] ?? []);
	const values = others(root).map(({ offset, length }) => text.slice(offset, offset + length));
	return {
		text: spliced(
			text,
			others(root),
			values.map(() => '0'),
		),
		putBack: edited => spliced(edited, others(tree(edited)), values),
	};
}

/** The text with each of these nodes, in the order of the text, replaced. */
function spliced(text: string, nodes: readonly Node[], replacements: readonly string[]): string {
	if (nodes.length !== replacements.length) throw new Error('an edit has lost what it does not concern');
	let end = 0;
	const parts = nodes.flatMap(({ offset, length }, index) => {
		const before = text.slice(end, offset);
		end = offset + length;
		return [before, replacements[index] ?? ''];
	});
	return parts.join('') + text.slice(end);
}

function tree(text: string, errors: ParseError[] = []): Node | undefined {
	return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
}

function parsed(file: string, text: string): Node | undefined {
	if (text.length > LONGEST)
		throw new NancyError('settings-broken', phrase`${file} is larger than 16 MB; Nancy does not edit it`);
	const errors: ParseError[] = [];
	let root: Node | undefined;
	try {
		root = tree(text, errors);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw tooDeep(file);
	}
	const [first] = errors;
	if (first) throw broken(file, text, first.offset, phrase`is not JSON (${printParseErrorCode(first.error)})`);
	let level = root ? [root] : [];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > DEEPEST) throw tooDeep(file);
		level = level.flatMap(node => node.children ?? []);
	}
	return root;
}

/** All other functions walk the tree by recursion. */
function tooDeep(file: string): NancyError {
	return new NancyError('settings-broken', phrase`${file} is nested too deeply; Nancy does not edit it`);
}

function check(file: string, text: string, entries: readonly Entry[]): Node | undefined {
	const root = parsed(file, text);
	if (!root) return undefined;
	if (root.type !== 'object') throw broken(file, text, root.offset, phrase`must hold an object`);
	for (const { path } of entries) {
		refuseTwins(file, text, root, [...path]);
		let node: Node | undefined = root;
		for (const [depth, segment] of path.entries()) {
			node = childOf(node, segment);
			if (!node) break;
			const wanted = depth === path.length - 1 ? 'array' : 'object';
			if (node.type !== wanted) {
				const key = path.slice(0, depth + 1).join('.');
				throw broken(
					file,
					text,
					node.offset,
					wanted === 'array'
						? phrase`has "${key}", which must be an array`
						: phrase`has "${key}", which must be an object`,
				);
			}
		}
	}
	return root;
}

/** If two properties have one name, programs read the last and editors the first. No edit could be trusted. */
function refuseTwins(file: string, text: string, root: Node | undefined, path: Path): void {
	let node = root;
	for (const segment of path) {
		if (!node) return;
		if (typeof segment === 'number') {
			node = node.children?.[segment];
			continue;
		}
		const twins: Node[] = (node.children ?? []).filter(property => property.children?.[0]?.value === segment);
		if (twins.length > 1)
			throw broken(file, text, twins[1]?.offset ?? 0, phrase`has "${segment}" twice, the second`);
		node = twins[0]?.children?.[1];
	}
}

function broken(file: string, text: string, offset: number, what: Phrase): NancyError {
	const before = text.slice(0, offset).split('\n');
	const place = phrase`line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
	return new NancyError(
		'settings-broken',
		phrase`${file} ${what} at ${place}. Repair it and try again; Nancy has not touched it.`,
	);
}

function childOf(node: Node, key: string): Node | undefined {
	return node.children?.find(property => property.children?.[0]?.value === key)?.children?.[1];
}

/** The text with one more element in the array at `path`, which is made if it is missing. */
function withEntry(text: string, path: readonly string[], value: unknown, layout: Layout): string {
	let holder = tree(text);
	for (const [depth, key] of path.entries()) {
		const child = holder && childOf(holder, key);
		if (child) {
			holder = child;
			continue;
		}
		const made = path.slice(depth + 1).reduceRight<unknown>((inside, name) => ({ [name]: inside }), [value]);
		if (holder) return withLast(text, holder, key, made, layout);
		// Nothing in the file, or nothing but comments.
		const start = text === '' || text.endsWith('\n') ? text : text + layout.eol;
		const json = JSON.stringify({ [key]: made }, null, layout.indent).replaceAll('\n', layout.eol);
		return start + json + layout.eol;
	}
	return holder ? withLast(text, holder, undefined, value, layout) : text;
}

/** Indentation and line ends as the file has them; two spaces where it has none yet. */
function layoutOf(text: string): Layout {
	const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
	return { indent: indent.startsWith('\t') ? '\t' : indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
