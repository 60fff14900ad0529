import type { Node } from 'jsonc-parser';

/** How a file is laid out. */
export interface Layout {
	/** One step of indentation. */
	indent: string;
	eol: string;
}

interface Edit {
	offset: number;
	length: number;
	content: string;
}

/**
 * Adds a last element or property to an array or an object. Only inserts text, and reformats nothing. jsonc-parser's own `modify` formats
 * whole lines, loses characters of one-line arrays, and fails at comments.
 */
export function withLast(text: string, holder: Node, key: string | undefined, value: unknown, layout: Layout): string {
	const last = holder.children?.at(-1);
	const depth = depthOf(holder) + 1;
	const inner = (last && ownIndent(text, last.offset)) ?? layout.indent.repeat(depth);
	const json = JSON.stringify(value, null, layout.indent).replaceAll('\n', `${layout.eol}${inner}`);
	const added = `${layout.eol}${inner}${key === undefined ? '' : `${JSON.stringify(key)}: `}${json}`;
	const end = layout.eol + layout.indent.repeat(depth - 1);
	if (!last) return applied(text, [{ offset: holder.offset + 1, length: 0, content: added + end }]);
	const offset = last.offset + last.length;
	const isClosedThere = /^[ \t]*[\]}]/.test(text.slice(offset, offset + 100));
	return applied(text, [{ offset, length: 0, content: `,${added}${isClosedThere ? end : ''}` }]);
}

/** Removes one element or property with the comma and the space that belong to it; comments around it stay. */
export function withoutChild(text: string, holder: Node, child: Node): string {
	const children = holder.children ?? [];
	const index = children.indexOf(child);
	const previous = children[index - 1];
	const from = previous ? previous.offset + previous.length : holder.offset + 1;
	const next = children[index + 1];
	const to = next ? next.offset : holder.offset + holder.length - 1;
	const before = between(text, from, child.offset);
	const after = between(text, child.offset + child.length, to);

	// The space before it goes, unless a comment is there: a line comment needs the end of its line.
	let start = before.hasComment ? child.offset : (before.comma ?? from - 1) + 1;
	let end = child.offset + child.length;
	const edits: Edit[] = [];
	if (after.comma !== undefined && /^\s*$/.test(text.slice(end, after.comma))) end = after.comma + 1;
	else if (after.comma !== undefined) edits.push({ offset: after.comma, length: 1, content: '' });
	else if (before.comma !== undefined) {
		if (before.comma + 1 === start) start = before.comma;
		else edits.push({ offset: before.comma, length: 1, content: '' });
	}
	if (!next && !previous && !before.hasComment && !after.hasComment) end = to;
	return applied(text, [...edits, { offset: start, length: end - start, content: '' }]);
}

/** The text between two values: the place of the comma, and whether there are comments. */
function between(text: string, from: number, to: number): { comma: number | undefined; hasComment: boolean } {
	let comma: number | undefined;
	let hasComment = false;
	for (const { index, 0: token } of text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[^]*?\*\/|,/g)) {
		if (token === ',') comma = from + index;
		else hasComment = true;
	}
	return { comma, hasComment };
}

function depthOf(node: Node): number {
	let depth = 0;
	for (let each = node.parent; each; each = each.parent) if (each.type !== 'property') depth++;
	return depth;
}

/** The space before what begins a line; `undefined` where something else stands before it. */
function ownIndent(text: string, offset: number): string | undefined {
	return /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[1];
}

function applied(text: string, edits: readonly Edit[]): string {
	let result = text;
	for (const { offset, length, content } of edits.toSorted((a, b) => b.offset - a.offset))
		result = result.slice(0, offset) + content + result.slice(offset + length);
	return result;
}
