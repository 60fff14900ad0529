import * as z from 'zod/mini';
import { sha256 } from '../../base/sha256.ts';
import { ownIdentity } from '../../base/liveness.ts';
import { DelegateId } from '../../protocol/delegate.ts';
import { ExecutorId } from '../../protocol/executorId.ts';
import { ProcessRecord } from '../../protocol/records.ts';
import { RemoteJob } from '../../protocol/remoteJob.ts';
import { Worktree } from '../../protocol/worktree.ts';
import { holdingOwnLock } from '../files/holdingLock.ts';
import type { Leases } from '../files/leases.ts';
import type { OwnFolder } from '../files/ownFolder.ts';

const Job = z.looseObject({
	version: z.literal(1),
	on: ExecutorId,
	repository: RemoteJob.shape.repository,
	/** Which gets its work. */
	worktree: Worktree,
	/** Who watches it. */
	runner: ProcessRecord,
	/** Its work is here, so what is there may go. */
	isCollected: z._default(z.boolean(), false),
});
/** What a delegate has on another machine. */
export type JobElsewhere = Pick<RemoteJob, 'id'> & Pick<z.infer<typeof Job>, 'repository' | 'worktree' | 'isCollected'>;

const FOLDER = 'elsewhere';

/**
 * What delegates have on other machines: each is noted before its machine hears of it, until it is cleaned up there. It outlives the ticket,
 * because a delegate whose machine cannot be reached may be deleted.
 */
export class JobsElsewhere {
	/** @param leases of the machines that work on the same workspace */
	constructor(
		private readonly own: OwnFolder,
		private readonly leases: Leases,
	) {}

	/** This process watches it from now on. */
	async begin(on: ExecutorId, { id, ...job }: JobElsewhere): Promise<void> {
		await this.own.write({ version: 1, on, ...job, runner: ownIdentity() }, FOLDER, id);
	}

	/** Its work is here. Notes nothing of one that {@link end} has ended. */
	async collected(id: DelegateId): Promise<void> {
		const job = await this.own.read(Job, FOLDER, id).catch(() => undefined);
		if (job) await this.own.write({ ...job, isCollected: true }, FOLDER, id);
	}

	/** Nothing of it is there, or a person knows what is. */
	async end(id: DelegateId): Promise<void> {
		await this.own.remove(FOLDER, id);
	}

	/** Those on a machine whose runner has ended, or was on a machine that gives no sign of life. Unreadable ones are left alone. */
	async unwatched(on: ExecutorId): Promise<JobElsewhere[]> {
		const found: JobElsewhere[] = [];
		for (const name of this.own.namesSync(FOLDER)) {
			const id = DelegateId.safeParse(name).data;
			if (id === undefined) continue;
			const job = await this.own.read(Job, FOLDER, id).catch(() => undefined);
			if (job?.on === on && !(await this.leases.isHeld(job.runner))) found.push({ ...job, id });
		}
		return found;
	}

	/** Only one process at a time for each machine. @throws NancyError `busy` */
	alone<T>(on: ExecutorId, step: () => Promise<T>): Promise<T> {
		return holdingOwnLock(this.own, `${FOLDER}-${sha256(on).slice(0, 16)}.lock`, step);
	}
}
