import * as z from 'zod/mini';

/** `nancy picture` */
export const PictureOutput = z.object({
	/** How many lines are drawn. */
	lines: z.int(),
	/** Where the picture is; without a file, it is in `svg`. */
	file: z.optional(z.string()),
	svg: z.optional(z.string()),
});
export type PictureOutput = z.infer<typeof PictureOutput>;
