import type { Node } from 'jsonc-parser';
import type { DeployedEntry } from '../../protocol/deployment.ts';

/** Entries of Nancy's in the tree of a settings file. */

/** Knows an entry by one of its strings. @param key of the property that holds the string, or holds the array around it */
export type IsOurs = (value: string, key: string | undefined) => boolean;
export type Path = (string | number)[];

export interface Found {
	path: Path;
	node: Node;
}

/** Elements of arrays that hold a string of ours: outermost ones by default. */
export function oursIn(root: Node | undefined, isOurs: IsOurs, { innermost = false } = {}): Found[] {
	const found: Found[] = [];
	const visit = (node: Node, path: Path): boolean => {
		if (node.type === 'string')
			return isOurs(
				String(node.value),
				path.findLast(segment => typeof segment === 'string'),
			);
		let holds = false;
		for (const [index, child] of (node.children ?? []).entries()) {
			const value = child.type === 'property' ? child.children?.[1] : child;
			if (!value) continue;
			const at = [...path, child.type === 'property' ? String(child.children?.[0]?.value) : index];
			if (!visit(value, at)) continue;
			if (node.type !== 'array') holds = true;
			else if (innermost || !path.some(segment => typeof segment === 'number'))
				found.push({ path: at, node: value });
			else holds = true;
		}
		return holds;
	};
	if (root) visit(root, []);
	return found;
}

/** As `withEntries` would write it. */
export function entryOf({ path, node }: Found): DeployedEntry {
	return { path: path.slice(0, -1).map(String), value: valueOf(node) };
}

function valueOf(node: Node): unknown {
	if (node.type === 'array') return (node.children ?? []).map(valueOf);
	if (node.type !== 'object') return node.value;
	return Object.fromEntries(
		(node.children ?? []).map(({ children = [] }) => [
			String(children[0]?.value),
			children[1] && valueOf(children[1]),
		]),
	);
}

/** Whether two properties of an object have the same name: programs read different ones. */
export function hasTwins({ type, children = [] }: Node): boolean {
	const keys = type === 'object' ? children.map(({ children: [key] = [] }) => String(key?.value)) : [];
	return new Set(keys).size < keys.length || children.some(hasTwins);
}

/** What goes with an entry: itself, or the part that its removal would leave empty. */
export function removable(found: Found | undefined): { holder: Node; child: Node } | undefined {
	let node = found?.node;
	while (node) {
		const child = node.parent?.type === 'property' ? node.parent : node;
		const holder = child.parent;
		if (!holder) return undefined;
		// A group of hooks has no use without its hooks, whatever else it says. With other hooks it has.
		const isGroup = holder.type === 'object' && holder.parent?.type === 'array' && !hasOtherArray(holder, child);
		const isLeftEmpty = isGroup || (holder.children?.length ?? 0) < 2;
		if (!isLeftEmpty || !holder.parent) return { holder, child };
		node = holder;
	}
	return undefined;
}

function hasOtherArray({ children = [] }: Node, child: Node): boolean {
	const others = children.filter(each => each !== child).map(({ children: [, value] = [] }) => value);
	return others.some(value => value?.type === 'array' && (value.children ?? []).length > 0);
}
