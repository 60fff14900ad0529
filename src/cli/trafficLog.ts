import { readdir } from 'node:fs/promises';
import { hasErrno } from '../base/errors.ts';
import { TrafficFollower } from '../core/traffic/store.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { SessionId } from '../protocol/names.ts';
import type { TrafficRecord } from '../protocol/traffic.ts';

/** How much of a session's file the first look takes in, in bytes. */
const TAIL_BYTES = 1024 * 1024;

/** The collected traffic of all sessions whose id begins in a certain way, read on from where the last call ended. */
export class TrafficLog {
	private readonly followers = new Map<SessionId, TrafficFollower>();

	constructor(
		private readonly workspace: Workspace,
		private readonly prefix = '',
	) {}

	/** What was added since the last call, oldest first. */
	async readNew(): Promise<TrafficRecord[]> {
		const records: TrafficRecord[] = [];
		for (const session of await this.sessions()) {
			const follower =
				this.followers.get(session) ?? new TrafficFollower(this.workspace.paths, session, TAIL_BYTES);
			this.followers.set(session, follower);
			records.push(...(await follower.next()));
		}
		return records.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
	}

	private async sessions(): Promise<SessionId[]> {
		this.workspace.refuseLinks();
		try {
			const names = await readdir(this.workspace.paths.traffic);
			return names.flatMap(name => {
				const session = SessionId.safeParse(/^(.*)\.jsonl$/.exec(name)?.[1]);
				return session.success && session.data.startsWith(this.prefix) ? [session.data] : [];
			});
		} catch (error) {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
			throw error;
		}
	}
}
