import * as z from 'zod/mini';

const HOST = '[A-Za-z0-9_][A-Za-z0-9._@-]{0,200}';
const NAME = '[A-Za-z0-9_][A-Za-z0-9._-]{0,60}';
const NAMESPACE = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const CONTEXT = '[A-Za-z0-9_][A-Za-z0-9._:/@-]{0,200}';

/**
 * A machine by its name for `ssh`: a host of `~/.ssh/config`, or `user@host`. It begins with no `-`, which `ssh` would take for an option.
 */
export const SshHost = z.string().check(z.regex(new RegExp(`^${HOST}$`)));

/**
 * `ssh:<host>`; or `slurm:<name>@<host>` for a Slurm cluster behind a login host, and `command:<name>@<host>` for any other queue. Without `@<host>`,
 * this machine is the login host. `k8s:<name>@<context>`, or `k8s:<name>:<namespace>@<context>`, for a Kubernetes cluster by a context of `kubectl`. The
 * name is one of the user's settings, and holds no `@`.
 */
export const ExecutorId = z
	.string()
	.check(
		z.regex(
			new RegExp(
				`^(?:ssh:${HOST}|(?:slurm|command):${NAME}(?:@${HOST})?|k8s:${NAME}(?::${NAMESPACE})?@${CONTEXT})$`,
			),
		),
	);
export type ExecutorId = z.infer<typeof ExecutorId>;

/** The machine of {@link ExecutorId} that is reached by `ssh`; `undefined` if that is this one. */
export function hostOf(id: ExecutorId): string | undefined {
	return /^(?:ssh:|(?:slurm|command):[^@]*@)(.*)$/.exec(id)?.[1];
}

/** A context of `kubectl`. It begins with no `-`, which `kubectl` would take for an option. */
export const KubeContext = z.string().check(z.regex(new RegExp(`^${CONTEXT}$`)));
export const KubeNamespace = z.string().check(z.regex(new RegExp(`^${NAMESPACE}$`)));

export interface Cluster {
	/** The cluster's name in the user's settings. */
	name: string;
	context: string;
	/** That of the context if absent. */
	namespace: string | undefined;
}

/** A Kubernetes cluster, with all that is needed to find a job there; `undefined` for any other machine. */
export function clusterOf(id: ExecutorId): Cluster | undefined {
	const [, name, namespace, context] = /^k8s:([^@:]*)(?::([^@]*))?@(.*)$/.exec(id) ?? [];
	return name === undefined || context === undefined ? undefined : { name, context, namespace };
}

/** A queue by its type and its name in the user's settings; `undefined` for a machine without one. */
export function queueOf(id: ExecutorId): { type: 'slurm' | 'command'; name: string } | undefined {
	const [, type, name] = /^(slurm|command):([^@]*)/.exec(id) ?? [];
	return name === undefined ? undefined : { type: type === 'slurm' ? type : 'command', name };
}
