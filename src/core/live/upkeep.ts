import { lstat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { WorkerRecord } from '../../protocol/records.ts';
import { canWake } from '../driver/abilities.ts';
import type { Driver } from '../driver/driver.ts';
import { driverIn } from '../driver/driverIn.ts';
import { mayWake, wakes } from '../mailbox/due.ts';
import { wakeLimit, type Held, type ReadHeld } from '../mailbox/held.ts';
import type { StoredMessage } from '../mailbox/mailboxFiles.ts';
import { hearsUnprompted } from '../mailbox/whenRead.ts';
import { whyUnheard } from '../sessions/hearing.ts';
import type { WorkerState } from './overview.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** How long an idle agent may take to answer its bell before it is rung again, in milliseconds; doubled each time. */
const FIRST_RING_MS = 3000;
const LONGEST_RING_MS = 60_000;

/** Rings without an answer after which a person should know. */
const RINGS_UNTIL_HELD = 3;

interface Ringing {
	/** The newest message that the bell was rung for. */
	newest: string;
	rings: number;
	nextMs: number;
}

/** Ensures that a queued message either moves or has a reason to wait. One per workspace: the process that holds the lock. */
export class Upkeep {
	private readonly ringing = new Map<string, Ringing>();

	constructor(
		private readonly workspace: Workspace,
		private readonly drivers: readonly Driver[],
		private readonly now: () => number,
	) {}

	async tend(worker: WorkerRecord, state: WorkerState, queued: readonly StoredMessage[]): Promise<void> {
		const address = { task: worker.task, worker: worker.name };
		// Each second, for hundreds of workers: nothing is read of one for whom nothing waits.
		if (queued.length === 0) return void this.ringing.delete(mailboxName(address));
		const silent = this.whyBellFails(worker, state, queued);
		const rings = silent === undefined ? await this.ring(address, state, queued) : 0;
		const unheard = silent ?? (await this.whyUnheard(worker, state, rings));
		for (const message of queued) {
			const reason = reasonOf(state, message, unheard);
			if (isDeepStrictEqual(message.held, reason) || !mayReplace(message.held, reason)) continue;
			await this.workspace.mailbox(address).setHeld(message.id, reason);
		}
	}

	/** Why no bell reaches the agent; `undefined` if one does, or none is needed. */
	private whyBellFails(worker: WorkerRecord, state: WorkerState, queued: readonly StoredMessage[]): Held | undefined {
		const { phase } = state;
		if (phase === 'ended') return undefined;
		if (worker.hooks === 'off') return { code: 'no-hooks' };
		const driver = driverIn(this.drivers, worker.agent);
		const isToWake = phase === 'idle' && queued.some(mayWake);
		if (!driver || !isToWake) return undefined;
		if (state.isUnprompted && !hearsUnprompted(driver, worker, state)) return { code: 'unprompted' };
		return canWake(driver, worker.agentVersion) ? undefined : wakeLimit(driver);
	}

	/** Why an idle agent does not answer. For an agent that watches its bell: that it has not answered so far. */
	private async whyUnheard(
		{ agent }: WorkerRecord,
		{ phase, session }: WorkerState,
		rings: number,
	): Promise<Held | undefined> {
		if (phase !== 'idle') return undefined;
		const driver = driverIn(this.drivers, agent);
		const why = session && (await whyUnheard(this.workspace, driver, session));
		return why ?? (rings >= RINGS_UNTIL_HELD ? { code: 'unheard' } : undefined);
	}

	/** Rings the bell of an idle agent again and again, less and less often. Returns the number of rings without an answer. */
	private async ring(address: WorkerAddress, state: WorkerState, queued: readonly StoredMessage[]): Promise<number> {
		const key = mailboxName(address);
		const waking = queued.filter(mayWake);
		if (state.phase !== 'idle' || waking.length === 0) {
			this.ringing.delete(key);
			return 0;
		}
		const newest = waking.map(message => message.id).reduce((a, b) => (a > b ? a : b));
		const known = this.ringing.get(key);
		if (known?.newest !== newest) {
			// `send` has rung already. A file that a person dropped has not, and before the session watched its bell nobody noticed a ring.
			const idleMs = Date.parse(state.at);
			if (state.session && !(await isRungSince(this.workspace.paths.bell(state.session), idleMs, waking)))
				await this.workspace.ring(address);
			this.ringing.set(key, { newest, rings: 0, nextMs: this.now() + FIRST_RING_MS });
			return 0;
		}
		if (this.now() >= known.nextMs) {
			await this.workspace.ring(address);
			known.rings++;
			known.nextMs = this.now() + Math.min(LONGEST_RING_MS, FIRST_RING_MS * 2 ** known.rings);
		}
		return known.rings;
	}
}

function mayReplace(held: ReadHeld | undefined, reason: Held | undefined): boolean {
	switch (held?.code) {
		// Only the next hook asks git whether that still holds. A refusal at a bell is no silence of the agent.
		case 'brought':
			return reason !== undefined && reason.code !== 'unheard';
		// It says more of an agent that has ended.
		case 'ended-unread':
			return reason?.code !== 'ended';
		default:
			return true;
	}
}

function reasonOf({ phase }: WorkerState, message: StoredMessage, unheard: Held | undefined): Held | undefined {
	if (phase === 'ended') return { code: 'ended' };
	if (unheard?.code === 'no-hooks') return unheard;
	if (phase === 'waiting') return { code: 'waiting' };
	if (phase !== 'idle') return undefined;
	if (!wakes(message.content)) return { code: 'resting' };
	return mayWake(message) ? unheard : { code: 'unanswered' };
}

async function isRungSince(bell: string, sinceMs: number, messages: readonly StoredMessage[]): Promise<boolean> {
	const rung = await lstat(bell).catch(() => undefined);
	if (!rung || rung.mtimeMs < sinceMs) return false;
	for (const { file } of messages) {
		const found = await lstat(file).catch(() => undefined);
		if (found && found.mtimeMs > rung.mtimeMs) return false;
	}
	return true;
}
