import { sleepUnless } from '../base/sleepUnless.ts';
import { errorText } from '../base/errors.ts';
import { hasPlace } from '../core/delegates/admission.ts';
import { LONGEST_PARKING_MS, type Delegates } from '../core/delegates/delegates.ts';
import type { StatusWriter } from '../core/delegates/statusWriter.ts';
import type { DriverId } from '../protocol/names.ts';
import type { RunnerTools } from './runnerTools.ts';

/** Pause if the CLI reports the account's limit without a reset time, in milliseconds. */
const QUOTA_PAUSE_MS = 15 * 60 * 1000;
/** Delay if the reported reset is already over. */
const SHORTEST_PARKING_MS = 2000;
/** How often a waiting delegate looks whether it may go on, in milliseconds. */
const LOOK_MS = 2000;
/** After so many of these looks it looks after the whole queue, which is more work. */
const LOOKS_FOR_OTHERS = 5;
/** How long a runner waits for the lock of the queue, in milliseconds. A look at a long queue takes time. */
export const PATIENCE_MS = 5 * 60 * 1000;

/** A delegate's wait for its account: until the limit resets, and then for a place among those that run. */
export class Parking {
	constructor(
		private readonly delegates: Delegates,
		private readonly agent: DriverId,
		private readonly status: StatusWriter,
		private readonly limits: Pick<RunnerTools, 'capacity' | 'freed' | 'signal'>,
		private readonly say: (text: string) => void,
	) {}

	/** Parks the whole batch: nothing of this agent starts before its limit resets. Resolves at once if the delegate is stopped. */
	async wait(reason: string, resetsAtMs = Date.now() + QUOTA_PAUSE_MS): Promise<void> {
		const { signal } = this.limits;
		const saidMs = Math.max(Date.now() + SHORTEST_PARKING_MS, resetsAtMs);
		const untilMs = Math.min(Date.now() + LONGEST_PARKING_MS, saidMs);
		const until = new Date(untilMs).toISOString();
		const park = () => this.delegates.park({ version: 1, agent: this.agent, until, reason });
		// If the batch cannot be written, only this delegate waits, and nobody can resume it earlier.
		const isNoted = await this.delegates.locked(park, PATIENCE_MS).then(
			() => true,
			(error: unknown) => {
				this.say(`the others are not told to wait: ${errorText(error)}\n`);
				return false;
			},
		);
		this.status.change({ status: 'parked', parked_until: until });
		await this.status.flush();
		this.say(`${reason}; waiting until ${until}\n`);
		while (Date.now() < untilMs && !signal.aborted && !(isNoted && (await this.isResumed()))) {
			// In steps, because a machine that sleeps stops timers.
			await this.pause(Math.max(50, untilMs - Date.now()));
		}
		await this.waitForPlace();
	}

	/** Somebody has resumed the batch. */
	private async isResumed(): Promise<boolean> {
		const parked = await this.delegates.parked(Date.now()).catch(() => undefined);
		return parked !== undefined && !parked.some(({ agent }) => agent === this.agent);
	}

	/** Other delegates may have taken the place of a parked one. It gets the next free place. */
	private async waitForPlace(): Promise<void> {
		this.status.change({ parked_until: undefined });
		await this.status.flush();
		const take = async () => {
			const { delegates } = await this.delegates.list();
			if (!hasPlace(delegates, await this.limits.capacity())) return false;
			this.status.change({ status: 'running', parked_until: undefined });
			await this.status.flush();
			return true;
		};
		// A disk that is full now ends nobody: it may have room at the next look.
		const isTaken = () => this.delegates.locked(take, PATIENCE_MS).catch(() => false);
		for (let look = 1; !this.limits.signal.aborted && !(await isTaken()); look++) {
			// A runner that was killed holds its place until somebody looks, and no window may be open.
			if (look % LOOKS_FOR_OTHERS === 0) await this.limits.freed();
			await this.pause(LOOK_MS);
		}
	}

	private async pause(longestMs: number): Promise<void> {
		const { signal } = this.limits;
		await sleepUnless(Math.min(LOOK_MS, longestMs), signal);
	}
}
