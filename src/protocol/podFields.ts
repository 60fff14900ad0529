import * as z from 'zod/mini';

/** As in a manifest. What they mean is between the user and the cluster. */
const Fields = z.record(z.string(), z.unknown());

const OWN = 'is given by Nancy: take it out';

function without(...names: readonly string[]) {
	return Fields.check(
		z.refine(fields => names.every(name => !Object.hasOwn(fields, name)), { error: `${names.join(', ')} ${OWN}` }),
	);
}

/** Nancy's own would make an agent of the job's runner: see core/asker/asker. */
export const VariableName = z.string().check(z.regex(/^(?!NANCY_)[A-Za-z_][A-Za-z0-9_]*$/));

/** Variables of this machine that an agent elsewhere gets. They go there on standard input, and are on no disk there. */
export const ForwardEnv = z.optional(z.array(VariableName));

/** What the user has delegates run in, in a Kubernetes cluster. */
export const PodFields = z.object({
	/** With Node, git and the agent. */
	image: z.string().check(z.regex(/^[^\s\p{Cc}]{1,500}$/u)),
	/** More fields of its pod (PodSpec), such as `nodeSelector`. */
	pod: z.optional(without('containers', 'restartPolicy', 'activeDeadlineSeconds', 'automountServiceAccountToken')),
	/** More fields of its container (Container), such as `resources` and `envFrom`. */
	container: z.optional(without('name', 'image', 'command', 'args')),
	forwardEnv: ForwardEnv,
});
export type PodFields = z.infer<typeof PodFields>;
