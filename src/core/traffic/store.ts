import type { SessionId } from '../../protocol/names.ts';
import { TrafficRecord } from '../../protocol/traffic.ts';
import type { NancyPaths } from '../files/paths.ts';
import { parseLine, readNewLines, type LineCursor } from '../files/jsonLines.ts';
import { trafficFiles } from './trafficFile.ts';

/** All kept records of a session, oldest first. Lines that are torn or of a later version are left out. */
export async function readTraffic(paths: NancyPaths, session: SessionId): Promise<TrafficRecord[]> {
	const records: TrafficRecord[] = [];
	for (const file of trafficFiles(paths, session)) {
		await readNewLines(file, undefined, { onRestart: () => undefined, onLine: line => addRecord(records, line) });
	}
	return records;
}

/**
 * Follows one session's records. Each call returns the new ones; the first returns those at the end of the file, or all that are kept. A
 * record may come again if its file was replaced between two calls; its id tells.
 */
export class TrafficFollower {
	private lastId: string | undefined;

	/**
	 * @param tailBytes how much of an existing file the first call reads; without it, all of both files
	 * @param cursor the end of an earlier reader: the first call continues from there
	 */
	constructor(
		private readonly paths: NancyPaths,
		private readonly session: SessionId,
		private readonly tailBytes = Infinity,
		private cursor?: LineCursor,
	) {}

	async next(): Promise<TrafficRecord[]> {
		const [older, current] = trafficFiles(this.paths, this.session);
		const records: TrafficRecord[] = [];
		let wasRotated = false;
		const first = this.cursor;
		this.cursor = await readNewLines(
			current,
			this.cursor,
			{ onRestart: () => (wasRotated = true), onLine: line => addRecord(records, line) },
			first === undefined ? { tailBytes: this.tailBytes } : {},
		);
		if (first === undefined && this.tailBytes === Infinity) {
			// The newer file came first. If it has become the older one since, its records are here already.
			const known = new Set(records.map(({ id }) => id));
			const earlier: TrafficRecord[] = [];
			await readNewLines(older, undefined, {
				onRestart: () => undefined,
				onLine: line => addRecord(earlier, line),
			});
			records.unshift(...earlier.filter(({ id }) => !known.has(id)));
		}
		if (wasRotated && first) {
			// First the rest of the file that has become the older one.
			const rest: TrafficRecord[] = [];
			let isSame = true;
			await readNewLines(older, first, {
				onRestart: () => (isSame = false),
				onLine: line => addRecord(rest, line),
			});
			if (isSame) records.unshift(...rest);
		}
		const known = records.findIndex(record => record.id === this.lastId);
		const news = known === -1 ? records : records.slice(known + 1);
		this.lastId = news.at(-1)?.id ?? this.lastId;
		return news;
	}
}

export interface TrafficFilter {
	task?: string | undefined;
	/** The agent CLI's own event name, or Nancy's kind. */
	event?: string | undefined;
	/** Anywhere in the record, in either case. */
	text?: string | undefined;
}

export function matchesFilter(record: TrafficRecord, filter: TrafficFilter): boolean {
	if (filter.task !== undefined && record.task !== filter.task) return false;
	if (filter.event !== undefined && !eventNames(record).includes(filter.event)) return false;
	return (
		!filter.text ||
		JSON.stringify(record).toLowerCase().includes(JSON.stringify(filter.text).slice(1, -1).toLowerCase())
	);
}

function eventNames(record: TrafficRecord): readonly string[] {
	switch (record.type) {
		case 'event':
			return [record.event.event, record.event.kind];
		case 'delivery':
			return [record.delivery.event, 'delivery'];
		case 'trouble':
			return [record.trouble.event, 'trouble'];
		case 'status':
			return [record.status.event, 'status'];
	}
}

function addRecord(records: TrafficRecord[], line: string): void {
	const record = TrafficRecord.safeParse(parseLine(line));
	if (record.success) records.push(record.data);
}
