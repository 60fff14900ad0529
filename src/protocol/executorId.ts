import * as z from 'zod/mini';

/**
 * A machine by its name for `ssh`: a host of `~/.ssh/config`, or `user@host`. It begins with no `-`, which `ssh` would take for an option.
 */
export const SshHost = z.string().check(z.regex(/^[A-Za-z0-9_][A-Za-z0-9._@-]{0,200}$/));

/** `ssh:<host>` */
export const ExecutorId = z.string().check(z.regex(/^ssh:[A-Za-z0-9_][A-Za-z0-9._@-]{0,200}$/));
export type ExecutorId = z.infer<typeof ExecutorId>;

/** The machine of {@link ExecutorId}. */
export function hostOf(id: ExecutorId): string {
	return id.slice('ssh:'.length);
}
