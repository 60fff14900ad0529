import { dirname } from 'node:path';
import type { Delegate } from '../../core/delegates/delegate.ts';

/** What the labels are made of. */
export interface LabelWords {
	title(delegate: Delegate): string;
	/** The label of a member of a group, whose row is below the title. */
	agent(delegate: Delegate): string;
	/** The label of a delegate that was sent back: `2` for the second run in the same worktree. */
	round(label: string, round: number): string;
}

export interface DelegateLabels {
	/** The label of a delegate's own row. Below a group, it is unique in the group. */
	row(delegate: Delegate): string;
	/** Unique in the folder. */
	full(delegate: Delegate): string;
	/** The label of the group of that name. */
	group(group: string): string;
}

/**
 * Labels such that no two rows have the same. If delegates have one title, the oldest has the title alone. A delegate that was sent back
 * has its round behind the title, and any other a number.
 */
export function labelsOf(delegates: readonly Delegate[], words: LabelWords): DelegateLabels {
	const taken = new Set<string>();
	const rows = new Map<string, string>();
	const groups = new Map<string, string>();
	const members = new Map<string, Set<string>>();
	const roundOf = rounds(delegates);
	const sizes = new Map<string, number>();
	for (const { record } of delegates)
		if (record.group !== undefined) sizes.set(record.group, (sizes.get(record.group) ?? 0) + 1);
	/** Nobody compares one that is alone by now. */
	const groupOf = ({ record: { group } }: Delegate) =>
		group !== undefined && (sizes.get(group) ?? 0) > 1 ? group : undefined;
	for (const delegate of delegates.toSorted((a, b) => (a.record.id < b.record.id ? -1 : 1))) {
		const { id } = delegate.record;
		const group = groupOf(delegate);
		const title = words.title(delegate);
		if (group === undefined) {
			const round = roundOf(delegate);
			rows.set(id, free(round > 1 ? words.round(title, round) : title, taken));
			continue;
		}
		if (!groups.has(group)) groups.set(group, free(title, taken));
		const others = members.get(group) ?? new Set();
		members.set(group, others);
		rows.set(id, free(words.agent(delegate), others));
	}
	const group = (name: string) => groups.get(name) ?? '';
	const row = ({ record }: Delegate) => rows.get(record.id) ?? '';
	const full = (delegate: Delegate) => {
		const of = groupOf(delegate);
		return of === undefined ? row(delegate) : `${group(of)} · ${row(delegate)}`;
	};
	return { row, full, group };
}

function free(label: string, taken: Set<string>): string {
	let found = label;
	for (let count = 2; taken.has(found); count++) found = `${label} · ${count}`;
	taken.add(found);
	return found;
}

/** How many delegates have worked in the worktree of a delegate up to that delegate; 1 for one in no worktree. */
function rounds(delegates: readonly Delegate[]): (delegate: Delegate) => number {
	const worktrees = new Set(delegates.flatMap(({ status }) => status.worktree?.folder ?? []));
	const around = (folder: string): string | undefined => {
		if (worktrees.has(folder)) return folder;
		const above = dirname(folder);
		return above === folder ? undefined : around(above);
	};
	const seen = new Map<string, number>();
	return ({ record, status }) => {
		const { place } = record;
		const folder = status.worktree?.folder ?? (place.is === 'folder' ? around(place.folder) : undefined);
		if (folder === undefined) return 1;
		const round = (seen.get(folder) ?? 0) + 1;
		seen.set(folder, round);
		return round;
	};
}
