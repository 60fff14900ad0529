import * as z from 'zod/mini';

export const CellResult = z.object({
	/** `fails`: the driver claims what was not seen. */
	is: z.enum(['works', 'partial', 'not possible', 'fails']),
	/** Why it is not simply `works`, or what is to be known beside it, in a sentence for a person. */
	because: z.optional(z.string()),
	/** It was seen although the driver declares it missing. */
	understated: z.optional(z.boolean()),
	/** How long the cell took, in milliseconds. */
	ms: z.number(),
});
export type CellResult = z.infer<typeof CellResult>;

/** A CLI at a version. */
export const Column = z.object({
	agent: z.string(),
	displayName: z.string(),
	/** Of the CLI. */
	version: z.string(),
	/** The version that the tests pin, the newest on npm when it was run, or the oldest one and each that an ability begins with. */
	is: z.enum(['pinned', 'newest', 'floor']),
	/** No cell of it was tried before: YYYY-MM-DD, UTC. */
	date: z.string(),
	/** By the cell's id. */
	cells: z.record(z.string(), CellResult),
});
export type Column = z.infer<typeof Column>;

const Table = {
	/** The rows, in their order. */
	rows: z.array(z.object({ id: z.string(), title: z.string() })),
	columns: z.array(Column),
};

/** docs/conformance.json */
export const ConformanceReport = z.object({
	version: z.literal(1),
	...Table,
	/** Of the agents that Nancy's own program in the terminal talks with. */
	talked: z.object(Table),
});
export type ConformanceReport = z.infer<typeof ConformanceReport>;

/**
 * The column of a version before it is tried again. A run for some of the cells makes the others no younger; what was seen of
 * another version says nothing about this one, and a row that is no more counts for nothing.
 */
export function columnOf(
	about: Omit<Column, 'date' | 'cells'>,
	known: Column | undefined,
	rows: readonly { id: string }[],
	{ isWhole, today }: { isWhole: boolean; today: string },
): Column {
	const kept = known?.version === about.version ? known : undefined;
	const cells = Object.entries(kept?.cells ?? {}).filter(([id]) => rows.some(row => row.id === id));
	return { ...about, date: isWhole ? today : (kept?.date ?? today), cells: Object.fromEntries(cells) };
}
