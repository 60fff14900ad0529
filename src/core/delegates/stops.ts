import { look, stampOf } from '../../base/look.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import { Stopped, Told } from './ticketRecords.ts';

const STOPPED = 'stopped.json';
const TOLD = 'told-to-end.json';

/** Who stops the delegates of one workspace. */
export class Stops {
	/**
	 * @param folder of all tickets, within `own`
	 * @param isQueued nothing is noted for one that was not queued here
	 */
	constructor(
		private readonly own: OwnFolder,
		private readonly folder: string,
		private readonly isQueued: (id: DelegateId) => Promise<boolean>,
	) {}

	/** Notes that a person stops it. An agent's word for that would be no proof. */
	async byHuman(id: DelegateId): Promise<void> {
		if (await this.isQueued(id)) await this.own.write({ version: 1, by: 'human' }, this.folder, id, STOPPED);
	}

	async isByHuman(id: DelegateId): Promise<boolean> {
		return (await this.own.read(Stopped, this.folder, id, STOPPED)) !== undefined;
	}

	/** Notes that its runner is told to end, by whomever. A system that shuts down sends the same signal, and stops no delegate. */
	async tell(id: DelegateId): Promise<void> {
		if (await this.isQueued(id)) await this.own.write({ version: 1 }, this.folder, id, TOLD);
	}

	/** Differs once an answer here may. */
	async look(id: DelegateId): Promise<string> {
		const stamps = [STOPPED, TOLD].map(async name => stampOf(await look(this.own.path(this.folder, id, name))));
		return (await Promise.all(stamps)).join(' ');
	}

	async isTold(id: DelegateId): Promise<boolean> {
		return (await this.isByHuman(id)) || (await this.own.read(Told, this.folder, id, TOLD)) !== undefined;
	}
}
