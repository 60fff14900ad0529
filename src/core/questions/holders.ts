import { liveness, type ProcessIdentity } from '../../base/liveness.ts';
import { Leases, RENEWAL_MS } from '../files/leases.ts';

/** How long a silent machine is looked at before it counts as gone, in milliseconds. One that was asleep renews its sign of life meanwhile. */
const PATIENCE_MS = 2 * RENEWAL_MS;

/** The processes that hold questions. Nobody sees a process of another machine. So each machine shows a sign of life. */
export class Holders {
	readonly machines: Leases;
	/** When a machine was first found silent, as `performance.now()` says it. */
	private readonly silentSince = new Map<string, number>();

	/** @param folder of the signs of life */
	constructor(folder: string) {
		this.machines = new Leases(folder);
	}

	/** Whether a process still holds its question. A command that looks once takes no silent machine for gone. */
	async isAlive(holder: ProcessIdentity): Promise<boolean> {
		const machine = holder.machine ?? '';
		const isHeld = await this.machines.isHeld(holder);
		if (isHeld || liveness(holder) === 'dead') {
			this.silentSince.delete(machine);
			return isHeld;
		}
		const now = performance.now();
		const since = this.silentSince.get(machine) ?? now;
		this.silentSince.set(machine, since);
		return now - since <= PATIENCE_MS;
	}
}
