import type { DriverId, SessionId } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import type { ProbedStatus } from '../driver/statusProbe.ts';
import type { Evidence } from './workerState.ts';

/** Asks an agent CLI for the state of all its sessions. Passed in, because the core starts no process. A rejection means "cannot tell". */
export type Ask = (driver: Driver) => Promise<ReadonlyMap<SessionId, ProbedStatus>>;

type Probe = NonNullable<Evidence['probe']>;

const SHORTEST_MS = 3000;
const LONGEST_MS = 30_000;

interface Pace {
	isAsking: boolean;
	nextMs: number;
	intervalMs: number;
}

/**
 * Keeps the agents' own answers. One call serves all sessions of a driver. It is made only while a state is in doubt, and less and less
 * often while nothing changes, because each call starts a process.
 */
export class Prober {
	private readonly paces = new Map<DriverId, Pace>();
	private readonly probes = new Map<SessionId, Probe>();

	constructor(
		private readonly ask: Ask,
		private readonly now: () => number,
	) {}

	probe(session: SessionId): Probe | undefined {
		return this.probes.get(session);
	}

	/** An event came, so the agent's next answer may differ. */
	wake(driver: DriverId): void {
		const pace = this.paces.get(driver);
		if (!pace) return;
		pace.nextMs = Math.min(pace.nextMs, this.now() + SHORTEST_MS);
		pace.intervalMs = SHORTEST_MS;
	}

	/** Asks for these sessions if it is time to; true when an answer came. Never rejects. */
	async look(driver: Driver, sessions: readonly SessionId[]): Promise<boolean> {
		if (driver.probe === 'none' || sessions.length === 0) return false;
		const pace = this.paces.get(driver.id) ?? { isAsking: false, nextMs: 0, intervalMs: SHORTEST_MS };
		this.paces.set(driver.id, pace);
		if (pace.isAsking || this.now() < pace.nextMs) return false;
		pace.isAsking = true;
		// Evidence has the time of its question: later events are newer.
		const at = new Date(this.now()).toISOString();
		let isChanged = false;
		let isAnswered = false;
		try {
			const answer = await this.ask(driver);
			isAnswered = true;
			for (const [session, status] of answer) isChanged = this.note(session, status, at) || isChanged;
			// Only a session that was listed before can be missing.
			for (const session of sessions) {
				if (!answer.has(session) && this.probes.has(session))
					isChanged = this.note(session, 'unlisted', at) || isChanged;
			}
		} catch {
			// The CLI is busy, gone or too old: no answer is no evidence.
		}
		pace.isAsking = false;
		pace.intervalMs = isChanged ? SHORTEST_MS : Math.min(LONGEST_MS, pace.intervalMs * 2);
		pace.nextMs = this.now() + pace.intervalMs;
		return isAnswered;
	}

	private note(session: SessionId, status: Probe['status'], at: string): boolean {
		const before = this.probes.get(session);
		const isSame = before !== undefined && phaseOf(before.status) === phaseOf(status);
		this.probes.set(session, { status, at, since: isSame ? before.since : at });
		return !isSame;
	}
}

function phaseOf(status: Probe['status'] | undefined): string | undefined {
	return typeof status === 'object' ? status.phase : status;
}
