import * as z from 'zod/mini';

// The output of each `nancy` command with `--json` (docs/cli.md). One file for each group of commands, because a command builds only the
// schemas that it loads. Other programs read these: fields may be added, never renamed or removed.

/** `<task>/<worker>`; the human's mailbox is `<task>/orchestrator`. */
export const Mailbox = z.string().check(z.regex(/^[^/]+\/[^/]+$/));

export const Problem = z.object({ file: z.string(), reason: z.string() });

export const PhaseName = z.enum(['starting', 'working', 'waiting', 'idle', 'ended']);
