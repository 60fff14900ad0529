import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNames } from '../../base/listing.ts';
import { TrafficFollower } from './store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { SessionId } from '../../protocol/names.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';

/** How much of a session's file the first look takes in at most, in bytes. */
const TAIL_BYTES = 1024 * 1024;

/** The usual maximum of one record in a file, in bytes. Most records are far smaller. */
const RECORD_BYTES = 32 * 1024;

interface TrafficFile {
	session: SessionId;
	inode: bigint;
	size: number;
	mtimeMs: number;
}

/** The collected traffic of all sessions whose id begins in a certain way, read from the end of the last call. */
export class TrafficLog {
	private readonly followers = new Map<SessionId, TrafficFollower>();

	constructor(
		private readonly workspace: Workspace,
		private readonly prefix = '',
	) {}

	/**
	 * The newest records, oldest first. Reads no more of the files than needed. The most recently written sessions come first, and a
	 * session written before the oldest found record has none.
	 * @param most how many are wanted
	 * @param isWanted only these count
	 */
	async readNewest(most: number, isWanted?: (record: TrafficRecord) => boolean): Promise<TrafficRecord[]> {
		const tailBytes = isWanted ? TAIL_BYTES : Math.min(TAIL_BYTES, most * RECORD_BYTES);
		let newest: TrafficRecord[] = [];
		for (const file of (await this.files()).toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
			const oldest = newest.length < most ? undefined : newest[0];
			const isEarlier = most === 0 || (oldest && Date.parse(oldest.at) > file.mtimeMs);
			const end = isEarlier ? { inode: file.inode, offset: file.size } : undefined;
			const follower = new TrafficFollower(this.workspace.paths, file.session, tailBytes, end);
			this.followers.set(file.session, follower);
			if (isEarlier) continue;
			const records = (await follower.next()).filter(record => isWanted?.(record) ?? true);
			newest = byMoment([...newest, ...records]).slice(-most);
		}
		return newest;
	}

	/** The records added since the last call, oldest first. */
	async readNew(): Promise<TrafficRecord[]> {
		const records: TrafficRecord[] = [];
		for (const { session } of await this.files()) {
			const follower =
				this.followers.get(session) ?? new TrafficFollower(this.workspace.paths, session, TAIL_BYTES);
			this.followers.set(session, follower);
			records.push(...(await follower.next()));
		}
		return byMoment(records);
	}

	private async files(): Promise<TrafficFile[]> {
		this.workspace.refuseLinks();
		const { traffic } = this.workspace.paths;
		const files: TrafficFile[] = [];
		for (const name of await fileNames(traffic, '.jsonl')) {
			const session = SessionId.safeParse(name.slice(0, -'.jsonl'.length));
			if (!session.success || !session.data.startsWith(this.prefix)) continue;
			const found = await stat(join(traffic, name), { bigint: true }).catch(() => undefined);
			if (found)
				files.push({
					session: session.data,
					inode: found.ino,
					size: Number(found.size),
					mtimeMs: Number(found.mtimeMs),
				});
		}
		return files;
	}
}

function byMoment(records: readonly TrafficRecord[]): TrafficRecord[] {
	return records.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
}
