import type { DelegateId } from '../protocol/delegate.ts';
import type { PodFields } from '../protocol/podFields.ts';
import type { RemoteJob } from '../protocol/remoteJob.ts';

/** The label that says whose a job, or a pod, is. */
export const DELEGATE_LABEL = 'nancy/delegate';
/** Name of the container of a pod in which Nancy works. */
export const CONTAINER = 'nancy';

/** For so long a pod waits for its work, in seconds. It comes from a machine that may be switched off meanwhile. */
const UNBEGUN_SECONDS = 3600;
/** Beyond what its agent may take: for the worktree, and for the commit. */
const MORE_SECONDS = 900;
/** For so long its results wait to be taken. */
const KEPT_SECONDS = 24 * 3600;

/**
 * The container's program. It begins nothing: Nancy is called beside it. It stays while there is something to do or to take, as nothing can be
 * read in a container that has ended. A shell that waits reaps what agents leave behind. See executors/jobFiles for the files.
 */
const STAY = `
until_there() { n=0; until [ -e "$1" ]; do [ "$n" -lt "$2" ] || { echo "$3"; return 1; }; sleep 5; n=$((n + 5)); done; }
job="$HOME/.nancy-remote/jobs/$1"
until_there "$job/started" "$2" 'nobody has brought its work' || exit 1
until_there "$job/end.json" "$3" 'it has not ended in its time'
n=0; while [ "$n" -lt "$4" ]; do sleep 5; n=$((n + 5)); done
echo 'nobody has taken its results'
`;

export function jobNameOf(id: DelegateId): string {
	return `nancy-${id}`;
}

/**
 * The Kubernetes Job of a delegate (batch/v1). It never begins a second pod for one that has failed. Its deadline is the pod's. The
 * deadline of a Job begins before there is a place for it. That deadline also has the pod removed, with all that would tell why.
 */
export function manifestOf({ id, wallSeconds }: RemoteJob, { image, pod, container }: PodFields): object {
	const labels = { 'app.kubernetes.io/managed-by': 'nancy', [DELEGATE_LABEL]: id };
	const times = [UNBEGUN_SECONDS, Math.ceil(wallSeconds) + MORE_SECONDS, KEPT_SECONDS];
	return {
		apiVersion: 'batch/v1',
		kind: 'Job',
		metadata: { name: jobNameOf(id), labels },
		spec: {
			backoffLimit: 0,
			ttlSecondsAfterFinished: KEPT_SECONDS,
			template: {
				metadata: { labels },
				spec: {
					...pod,
					restartPolicy: 'Never',
					activeDeadlineSeconds: times.reduce((sum, each) => sum + each, MORE_SECONDS),
					automountServiceAccountToken: false,
					containers: [
						{
							resources: { requests: { cpu: '500m', memory: '600Mi' } },
							...container,
							name: CONTAINER,
							image,
							command: ['/bin/sh', '-c', STAY, 'nancy', id, ...times.map(String)],
						},
					],
				},
			},
		},
	};
}
