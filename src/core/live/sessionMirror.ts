import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { SessionId } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import type { Driver } from '../driver/driver.ts';
import { SessionView, type SessionTraffic } from './sessionView.ts';
import { keyOf } from './taskMirror.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { sessionBinding } from '../sessions/bindings.ts';

/** Sessions whose traffic is read at the start; those of workers are read in any case. */
const MOST_SESSIONS = 60;

/** `.nancy/traffic` in memory: the sessions that grew, followed from where they were last read. */
export class SessionMirror {
	private readonly views = new Map<SessionId, SessionView>();
	/** By mailbox: its present and earlier sessions. */
	private readonly bound = new Map<string, Set<SessionView>>();
	/** Sizes of traffic files when last looked at. */
	private readonly sizes = new Map<SessionId, number>();
	private hasRead = false;

	constructor(
		private readonly workspace: Workspace,
		private readonly drivers: readonly Driver[],
		/** Called when a session has something new. */
		private readonly onGrowth: (view: SessionView) => void,
	) {}

	has(session: SessionId): boolean {
		return this.views.has(session);
	}

	/** Every session with traffic, newest first. */
	traffic(): readonly SessionTraffic[] {
		const views = [...this.views.values()].filter(view => view.lastAt !== '');
		return views.map(view => view.traffic).sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
	}

	/** The session that decides a worker's state: the one with the newest event. */
	current(record: WorkerRecord): SessionView | undefined {
		const key = keyOf({ task: record.task, worker: record.name });
		const bound = [...(this.bound.get(key) ?? [])].filter(({ address }) => address && keyOf(address) === key);
		const own = new Set([...bound, ...record.sessions.flatMap(({ id }) => this.views.get(id) ?? [])]);
		let newest: SessionView | undefined;
		for (const view of own) if (view.state && (!newest?.state || view.state.at >= newest.state.at)) newest = view;
		return newest;
	}

	/** Follows every session that grew; the first time, those that grew last. Returns whether there was anything new. */
	async read(): Promise<boolean> {
		let isChanged = false;
		for (const { session, size } of await this.files()) {
			const isSame = this.sizes.get(session) === size;
			this.sizes.set(session, size);
			const isLeftOut = !this.hasRead && !this.views.has(session) && this.views.size >= MOST_SESSIONS;
			if (isSame || isLeftOut) continue;
			isChanged = (await this.follow(session)) || isChanged;
		}
		this.hasRead = true;
		return isChanged;
	}

	/** Reads on in one session; whether there was anything new. */
	async follow(session: SessionId): Promise<boolean> {
		const view = this.views.get(session) ?? new SessionView(this.workspace.paths, session, this.drivers);
		this.views.set(session, view);
		const isChanged = await view.follow();
		const address = (await sessionBinding(this.workspace, session))?.address ?? view.address;
		const isRebound =
			address !== undefined && (view.address === undefined || keyOf(address) !== keyOf(view.address));
		if (isRebound) view.address = address;
		if (view.address) {
			const key = keyOf(view.address);
			this.bound.set(key, (this.bound.get(key) ?? new Set()).add(view));
		}
		if (isChanged) this.onGrowth(view);
		return isChanged || isRebound;
	}

	/** Newest first. */
	private async files(): Promise<{ session: SessionId; size: number; mtimeMs: number }[]> {
		const files = [];
		for (const name of await readdir(this.workspace.paths.traffic).catch(emptyIfMissing)) {
			const session = SessionId.safeParse(name.slice(0, -'.jsonl'.length));
			if (!name.endsWith('.jsonl') || !session.success) continue;
			const found = await stat(join(this.workspace.paths.traffic, name)).catch(() => undefined);
			if (found) files.push({ session: session.data, size: found.size, mtimeMs: found.mtimeMs });
		}
		return files.sort((a, b) => b.mtimeMs - a.mtimeMs);
	}
}

function emptyIfMissing(error: unknown): string[] {
	if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
	throw error;
}
