import * as z from 'zod/mini';

/** What every command prints on stderr, as one line, when it fails under `--json`. */
export const ErrorOutput = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
