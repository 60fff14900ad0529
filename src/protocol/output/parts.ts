import * as z from 'zod/mini';

// What each `nancy` command prints with `--json` (docs/cli.md): one file for each group of commands, for a command builds only the
// schemas that it loads. Other programs read these: fields may be added, never renamed or removed.

/** `<task>/<worker>`; the human's mailbox is `<task>/orchestrator`. */
export const Mailbox = z.string().check(z.regex(/^[^/]+\/[^/]+$/));

export const Problem = z.object({ file: z.string(), reason: z.string() });

export const PhaseName = z.enum(['starting', 'working', 'waiting', 'idle', 'ended']);
