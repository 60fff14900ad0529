import * as z from 'zod/mini';

/** Lines; binary files count as none. */
const lines = { insertions: z.int(), deletions: z.int() };

/** Between two times of a folder. */
export const Changes = z.object({
	files: z.array(
		z.object({
			/** Relative to the folder, with `/`. */
			path: z.string(),
			/** Its place before it was renamed. */
			before: z.exactOptional(z.string()),
			status: z.enum(['added', 'modified', 'deleted', 'renamed']),
			/** Absent for a binary file. */
			lines: z.exactOptional(z.object(lines)),
			/** Where it leads, if it is a link now. */
			link: z.exactOptional(z.string()),
		}),
	),
	...lines,
});
export type Changes = z.infer<typeof Changes>;
