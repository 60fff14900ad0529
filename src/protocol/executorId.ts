import * as z from 'zod/mini';

const HOST = '[A-Za-z0-9_][A-Za-z0-9._@-]{0,200}';
const NAME = '[A-Za-z0-9_][A-Za-z0-9._-]{0,60}';

/**
 * A machine by its name for `ssh`: a host of `~/.ssh/config`, or `user@host`. It begins with no `-`, which `ssh` would take for an option.
 */
export const SshHost = z.string().check(z.regex(new RegExp(`^${HOST}$`)));

/**
 * `ssh:<host>`, or `slurm:<name>@<host>` for a Slurm cluster behind a login host. `slurm:<name>` is a cluster of which this machine is a login
 * host. The name is one of the user's settings, and holds no `@`.
 */
export const ExecutorId = z.string().check(z.regex(new RegExp(`^(?:ssh:${HOST}|slurm:${NAME}(?:@${HOST})?)$`)));
export type ExecutorId = z.infer<typeof ExecutorId>;

/** The machine of {@link ExecutorId} that is reached by `ssh`; `undefined` if that is this one. */
export function hostOf(id: ExecutorId): string | undefined {
	return /^(?:ssh:|slurm:[^@]*@)(.*)$/.exec(id)?.[1];
}

/** The name of a Slurm cluster in the user's settings; `undefined` for a machine without one. */
export function clusterOf(id: ExecutorId): string | undefined {
	return /^slurm:([^@]*)/.exec(id)?.[1];
}
