import type { DriverId, SessionId } from '../../protocol/names.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';
import type { Driver } from '../driver/driver.ts';
import { driverIn, transcriptIn } from '../driver/driverIn.ts';
import type { TranscriptFacts } from '../driver/transcript.ts';
import type { NancyPaths } from '../files/paths.ts';
import { TrafficFollower } from '../traffic/store.ts';
import type { Turn } from '../traffic/node.ts';
import { TurnArranger } from '../traffic/turns.ts';
import { Transcript } from '../sessions/transcripts.ts';
import { useInSession, type Use } from '../budgets/use.ts';
import { foldTraffic, startingState, type SessionState } from './sessionState.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';

/** A session as the traffic view shows it. */
export interface SessionTraffic {
	session: SessionId;
	address: WorkerAddress | undefined;
	/** UTC, ISO 8601. */
	startedAt: string;
	lastAt: string;
	/** In order of time. For a long session, the turns of the newest records. */
	turns: readonly Turn[];
}

/** How much of a session is read at the first look, in bytes. The whole is on disk. */
const TAIL_BYTES = 256 * 1024;

/** How many events of a session are kept in memory. */
const MOST_NODES = 2000;

/** One session in memory: its turns, its state, and its transcript. */
export class SessionView {
	state: SessionState | undefined;
	address: WorkerAddress | undefined;
	transcript: Transcript | undefined;
	startedAt = '';
	lastAt = '';
	private readonly follower: TrafficFollower;
	private readonly arranger: TurnArranger;

	constructor(
		paths: NancyPaths,
		readonly session: SessionId,
		private readonly drivers: readonly Driver[],
	) {
		this.follower = new TrafficFollower(paths, session, TAIL_BYTES);
		const wordsOf = (id: DriverId) => driverIn(drivers, id)?.eventWords;
		this.arranger = new TurnArranger(wordsOf, MOST_NODES);
	}

	get traffic(): SessionTraffic {
		const { session, address, startedAt, lastAt } = this;
		return { session, address, startedAt, lastAt, turns: this.arranger.turns };
	}

	get facts(): TranscriptFacts | undefined {
		return this.transcript?.facts;
	}

	get use(): Use | undefined {
		return this.facts && useInSession(this.facts);
	}

	/** Takes in the records that are new; true when there were any. */
	async follow(): Promise<boolean> {
		const records = await this.follower.next();
		for (const record of records) this.take(record);
		return records.length > 0;
	}

	private take(record: TrafficRecord): void {
		this.startedAt ||= record.at;
		this.lastAt = record.at > this.lastAt ? record.at : this.lastAt;
		this.arranger.add(record);
		this.state = foldTraffic(this.state ?? startingState(record.at, this.session), record);
		if (record.task && record.worker) this.address ??= { task: record.task, worker: record.worker };
		if (record.type !== 'event' || record.event.subagent !== undefined) return;
		this.readFrom(record.event.transcript, record.event.driver);
	}

	/** The path of the agent's own record: its events name it, or a hook found it in the agent's folders. */
	readFrom(file: string | undefined, driverId: DriverId): void {
		const format = transcriptIn(this.drivers, driverId);
		if (file === undefined || format === 'none' || this.transcript?.file === file) return;
		this.transcript = new Transcript(file, format);
	}
}
