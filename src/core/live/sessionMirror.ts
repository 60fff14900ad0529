import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { SessionId } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import type { Driver } from '../driver/driver.ts';
import { SessionView, type SessionTraffic } from './sessionView.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { sessionBinding } from '../sessions/bindings.ts';

/** The sessions with the newest traffic are in memory, and those of workers in any case. */
const MOST_SESSIONS = 60;

const NONE: ReadonlySet<SessionView> = new Set();

/** The session that decides a worker's state: the one with the newest event. */
export function currentOf(sessions: ReadonlySet<SessionView>): SessionView | undefined {
	let newest: SessionView | undefined;
	for (const view of sessions) if (view.state && (!newest?.state || view.state.at >= newest.state.at)) newest = view;
	return newest;
}

/** `.nancy/traffic` in memory: the sessions that grew, followed from where they were last read. */
export class SessionMirror {
	private readonly views = new Map<SessionId, SessionView>();
	/** By mailbox: its present and earlier sessions. */
	private readonly bound = new Map<string, Set<SessionView>>();
	/** Sizes of the present traffic files when last looked at, newest first. */
	private sizes: ReadonlyMap<SessionId, number> = new Map();
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

	/** A worker's sessions, present and earlier. */
	of(record: WorkerRecord): ReadonlySet<SessionView> {
		const bound = this.bound.get(mailboxName({ task: record.task, worker: record.name })) ?? NONE;
		const named = record.sessions.flatMap(({ id }) => this.views.get(id) ?? []);
		return named.every(view => bound.has(view)) ? bound : new Set([...bound, ...named]);
	}

	/** Follows every session that grew; the first time, those that grew last. Returns whether there was anything new. */
	async read(): Promise<boolean> {
		let isChanged = false;
		const files = await this.files();
		const before = this.sizes;
		const sizes = new Map(files.map(({ session, size }) => [session, size]));
		this.sizes = sizes;
		for (const session of before.keys())
			if (!this.sizes.has(session)) isChanged = this.forget(session) || isChanged;
		for (const { session, size } of files) {
			const isSame = before.get(session) === size;
			const isLeftOut = !this.hasRead && !this.views.has(session) && this.views.size >= MOST_SESSIONS;
			if (isSame || isLeftOut) continue;
			try {
				isChanged = (await this.follow(session)) || isChanged;
			} catch {
				// It says nothing, keeps no other session waiting, and is tried again.
				sizes.set(session, -1);
			}
		}
		this.hasRead = true;
		return isChanged;
	}

	/**
	 * Forgets all but the newest sessions and these, as a window does that is opened now.
	 * @param needed the sessions of workers
	 */
	keepOnly(needed: ReadonlySet<SessionId>): void {
		if (this.views.size <= MOST_SESSIONS) return;
		const newest = new Set([...this.sizes.keys()].slice(0, MOST_SESSIONS));
		for (const session of this.views.keys()) if (!newest.has(session) && !needed.has(session)) this.forget(session);
	}

	private forget(session: SessionId): boolean {
		const view = this.views.get(session);
		if (!view) return false;
		this.views.delete(session);
		this.unbind(view);
		return true;
	}

	private unbind(view: SessionView): void {
		for (const [key, views] of this.bound) if (views.delete(view) && views.size === 0) this.bound.delete(key);
	}

	/** Reads on in one session; whether there was anything new. */
	async follow(session: SessionId): Promise<boolean> {
		const view = this.views.get(session) ?? new SessionView(this.workspace.paths, session, this.drivers);
		this.views.set(session, view);
		const isChanged = await view.follow();
		const address = (await sessionBinding(this.workspace, session))?.address ?? view.address;
		const isRebound =
			address !== undefined && (view.address === undefined || mailboxName(address) !== mailboxName(view.address));
		if (isRebound) {
			this.unbind(view);
			view.address = address;
		}
		if (view.address) {
			const key = mailboxName(view.address);
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
