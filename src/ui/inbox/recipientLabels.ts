/** A worker as a person tells it from others. */
export interface Named {
	/** The label of a worker, or the title of a delegate. */
	name: string;
	/** Its workspace folder, if there are several. */
	folder: string | undefined;
	/** When it was made. UTC, ISO 8601. */
	madeAt: string;
}

/** A label for each, in the same order. No two are alike: of those with one name, all but the oldest get a number. */
export function distinctLabels(all: readonly Named[]): string[] {
	const names = all.map(({ name, folder }) => (folder === undefined ? name : `${folder} · ${name}`));
	const taken = new Set(names);
	const used = new Set<string>();
	const labels = [...names];
	const oldestFirst = all.map((_, at) => at).toSorted((a, b) => compare(all[a]?.madeAt, all[b]?.madeAt));
	for (const at of oldestFirst) {
		const name = names[at] ?? '';
		let label = name;
		for (let number = 2; used.has(label) || (label !== name && taken.has(label)); number++)
			label = `${name} (${number})`;
		used.add(label);
		labels[at] = label;
	}
	return labels;
}

function compare(a = '', b = ''): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
