import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { Cluster } from '../protocol/executorId.ts';
import type { MessageId } from '../protocol/names.ts';
import type { PodFields } from '../protocol/podFields.ts';
import { Seen, type RemoteJob, type RemoteLetter, type TakenBack } from '../protocol/remoteJob.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { refuseError } from './ask.ts';
import { forwarded } from './forwarded.ts';
import { WorkGone, type Executor, type JobName, type Waits } from './executor.ts';
import type { JobLook } from './jobLook.ts';
import { Kubectl } from './kubectl.ts';
import { LooksTogether, meetingOf } from './looksTogether.ts';
import { letterName } from './mailThere.ts';
import { Pod } from './pod.ts';
import { DELEGATE_LABEL, jobNameOf, manifestOf } from './podManifest.ts';
import { Listing, PodState, podStateOf } from './podState.ts';
import { ShellExecutor } from './shellExecutor.ts';

/** Between two looks, in milliseconds: all users of a cluster share its API server. */
const LOOK_MS = 3000;
const DELETED = 'its job was deleted';
/** What Nancy says of a job that has another pod than the one with its work. */
const ANOTHER = 'its pod was deleted';
/** What Nancy says of a pod that is being deleted: its node may be lost, or only cut off. */
const UNREACHED = 'it cannot be reached; until its node is back it may run on';
/**
 * For so long a job is not given up, in milliseconds. This holds if the container is gone, or if the pod is being deleted and cannot be
 * reached. The cluster's word is a hint.
 */
const UNSURE_MS = 30_000;

/**
 * Delegates in a Kubernetes cluster: each has a Job, and so a pod, of its own. To Nancy the pod is a machine, in which it takes the same steps
 * as on any other. The pod begins nothing by itself, so one that the cluster begins again, or in another's place, runs no agent.
 */
export class Kubernetes implements Executor {
	private readonly kubectl: Kubectl;
	private readonly looks: LooksTogether;
	/** By the names of pods. */
	private readonly shells = new Map<string, ShellExecutor>();
	/** Why a job cannot be looked into now, and since when, in milliseconds since 1970. */
	private readonly troubles = new Map<DelegateId, { why: string; since: number }>();

	/** @param readFields of the user's settings, which only a new job needs */
	constructor(
		cluster: Cluster,
		private readonly runtime: { folder: string; version: string },
		private readonly readFields: () => Promise<PodFields>,
	) {
		this.kubectl = new Kubectl(cluster);
		// Two files of `kubectl` may have contexts of one name.
		const files = [process.env['KUBECONFIG'], homedir()];
		const meeting = meetingOf(...this.kubectl.options, ...files, runtime.folder);
		// Each then looks into its own pod, so that one which hangs holds up nobody else.
		this.looks = new LooksTogether(meeting, LOOK_MS, async jobs => {
			const all = await this.list(DELEGATE_LABEL);
			return { answers: jobs.map(({ id }, at) => ({ at, answer: podStateOf(all, id) })) };
		});
	}

	get pauseMs(): number {
		return this.looks.pauseMs;
	}

	async prepare(
		job: RemoteJob,
		worktree: Worktree,
		signal: AbortSignal,
		waits: Waits,
	): Promise<string[] | undefined> {
		const fields = await this.readFields();
		forwarded(fields.forwardEnv);
		await this.create(job, fields);
		const shell = await this.begun(job, signal, waits);
		return shell.prepare(job, worktree, signal);
	}

	async submit(job: RemoteJob): Promise<void> {
		// The next look tells about a job that is gone.
		await this.inPod(job.id, shell => shell.submit(job)).catch(unlessGone);
	}

	carry(job: RemoteJob, letters: readonly RemoteLetter[]): Promise<void> {
		return this.inPod(job.id, shell => shell.carry(job, letters));
	}

	takeBack(id: DelegateId, message: MessageId): Promise<TakenBack> {
		return this.inPod(id, shell => shell.takeBack(id, message));
	}

	async observe(
		{ id }: RemoteJob,
		offset: number,
		carried: readonly RemoteLetter[],
		signal?: AbortSignal,
	): Promise<Seen> {
		const look = { id, offset, carried: carried.map(letterName) };
		const lost = (why: string): Seen => ({
			is: 'lost',
			queueSays: `Kubernetes: ${why}`,
			log: '',
			nextOffset: offset,
			receipts: [],
			takenBack: [],
		});
		const pod = await this.look(look, signal);
		if (pod.is === 'over') return lost(pod.why);
		if (pod.is !== 'running') {
			// It had a container when it was submitted.
			const why = pod.is === 'absent' ? DELETED : ANOTHER;
			if (this.isGivenUp(id, why)) return lost(why);
			throw unsure(id, why);
		}
		let answer: unknown;
		try {
			answer = await this.shellIn(pod.pod).lookAt(look);
		} catch (error) {
			if (pod.leaving === undefined || !hasCode(error, 'timeout') || !this.isGivenUp(id, UNREACHED)) throw error;
			return lost(`${pod.leaving}, and ${UNREACHED}`);
		}
		this.troubles.delete(id);
		const now = Seen.parse(refuseError(answer, pod.pod));
		if (now.is === 'absent') return { ...now, queueSays: `Kubernetes: ${ANOTHER}` };
		// While it is there, its work can be committed and fetched.
		if (pod.leaving !== undefined && now.is === 'running')
			return { ...now, is: 'lost', queueSays: `Kubernetes: ${pod.leaving}` };
		return now;
	}

	async cancel(job: RemoteJob): Promise<void> {
		await this.inPod(job.id, shell => shell.cancel(job)).catch(unlessGone);
	}

	async rescue(job: JobName): Promise<boolean> {
		return (await this.inPod(job.id, shell => shell.rescue(job)).catch(unlessGone)) ?? false;
	}

	collect(job: JobName, worktree: Worktree): Promise<readonly string[]> {
		return this.inPod(job.id, shell => shell.collect(job, worktree));
	}

	place({ id }: JobName): string {
		return `the job ${jobNameOf(id)} in ${this.kubectl.place}`;
	}

	async cleanUp({ id }: JobName): Promise<void> {
		// The cluster ends them by itself, however long their node takes.
		const now = ['--grace-period=1', '--wait=false'];
		await this.kubectl.call(['delete', 'jobs,pods', `--selector=${DELEGATE_LABEL}=${id}`, ...now]);
	}

	close(): void {
		this.looks.close();
	}

	/** The name of a job is that of its delegate, so there is one at most. */
	private async create(job: RemoteJob, fields: PodFields): Promise<void> {
		const manifest = JSON.stringify(manifestOf(job, fields));
		try {
			await this.kubectl.call(['create', '--filename=-'], manifest);
		} catch (error) {
			if (!hasCode(error, 'io') || !error.message.includes('(AlreadyExists)')) throw error;
		}
	}

	/** Waits until there is a container to work in. */
	private async begun({ id }: RemoteJob, signal: AbortSignal, waits: Waits): Promise<ShellExecutor> {
		for (;;) {
			const pod = await this.look({ id, offset: 0, carried: [] }, signal);
			signal.throwIfAborted();
			if (pod.is === 'running' && pod.leaving === undefined) return this.shellIn(pod.pod);
			if (pod.is === 'absent') throw new NancyError('io', phrase`its job was deleted before it began`);
			if (pod.is === 'over' || pod.is === 'running')
				throw new NancyError(
					'io',
					phrase`Kubernetes has ended it before it began: ${pod.is === 'over' ? pod.why : pod.leaving}`,
				);
			if (pod.isHopeless) throw new NancyError('io', phrase`Kubernetes would never start it: ${pod.why}`);
			await waits(pod.why);
			await sleep(this.pauseMs, undefined, { signal });
		}
	}

	private async look(job: JobLook, signal: AbortSignal | undefined): Promise<PodState> {
		return PodState.parse(await this.looks.look(job, signal));
	}

	private async list(selector: string): Promise<Listing> {
		const said = await this.kubectl.call(['get', 'jobs,pods', `--selector=${selector}`, '--output=json']);
		return Listing.parse(JSON.parse(said));
	}

	/** Whether a job that cannot be looked into is given up: it could not be for {@link UNSURE_MS}, always for this reason. */
	private isGivenUp(id: DelegateId, why: string): boolean {
		const known = this.troubles.get(id);
		const { since } = known?.why === why ? known : { since: Date.now() };
		this.troubles.set(id, { why, since });
		return Date.now() - since >= UNSURE_MS;
	}

	/**
	 * Takes a step in the container of a job that had one. It asks again until that is sure to be gone.
	 * @throws WorkGone if there is no such container any more, or its pod is being deleted and cannot be reached
	 */
	private async inPod<T>(id: DelegateId, step: (shell: ShellExecutor) => Promise<T>): Promise<T> {
		const begunAt = Date.now();
		for (;;) {
			const pod = podStateOf(await this.list(`${DELEGATE_LABEL}=${id}`), id);
			if (pod.is === 'over') break;
			try {
				if (pod.is === 'running') return await step(this.shellIn(pod.pod));
			} catch (error) {
				if (pod.is !== 'running' || pod.leaving === undefined || !hasCode(error, 'timeout')) throw error;
			}
			if (Date.now() - begunAt >= UNSURE_MS) break;
			await sleep(LOOK_MS);
		}
		throw new WorkGone(
			'io',
			phrase`${jobNameOf(id)} in ${this.kubectl.place} has no pod any more that can be reached, so what was in it is lost`,
		);
	}

	private shellIn(pod: string): ShellExecutor {
		const variables = async () => forwarded((await this.readFields()).forwardEnv);
		const known =
			this.shells.get(pod) ?? new ShellExecutor(new Pod(this.kubectl, pod), this.runtime, { variables });
		this.shells.set(pod, known);
		return known;
	}
}

/** `undefined` for what is gone. */
function unlessGone(error: unknown): undefined {
	if (!(error instanceof WorkGone)) throw error;
}

function unsure(id: DelegateId, why: string): NancyError {
	return new NancyError('timeout', phrase`Kubernetes says of ${jobNameOf(id)}: ${why}`);
}
