import * as z from 'zod/mini';

/** Between two times of a folder. */
export const Changes = z.object({
	files: z.array(
		z.object({
			/** Relative to the folder, with `/`. */
			path: z.string(),
			/** Its place before it was renamed. */
			before: z.exactOptional(z.string()),
			status: z.enum(['added', 'modified', 'deleted', 'renamed']),
		}),
	),
	/** Lines; binary files count as none. */
	insertions: z.int(),
	deletions: z.int(),
});
export type Changes = z.infer<typeof Changes>;
