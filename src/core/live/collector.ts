import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, hasErrno } from '../../base/errors.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { NewestMap } from '../../base/newestMap.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';
import type { FileProblem } from '../files/fileProblem.ts';
import { ProcessLock } from '../files/processLock.ts';
import { Claims } from '../traffic/claims.ts';
import { keepRejected } from '../traffic/rejected.ts';
import type { Spooled } from '../traffic/spooled.ts';
import { SpoolFiles } from '../traffic/spoolFiles.ts';
import { appendLines, DEFAULT_LIMITS, keepWithin, type TrafficLimits } from '../traffic/trafficFile.ts';
import { batches, recordId, type WaitingFile } from '../traffic/waiting.ts';
import { sessionBinding } from '../sessions/bindings.ts';

export interface CollectorOptions {
	limits?: Partial<TrafficLimits>;
	/** How long an unchanged, incomplete file may stay in the spool, in milliseconds. Default 30,000. */
	unfinishedMs?: number;
	/** How long to leave a disk alone that refused a write, in milliseconds. Default 2,000. */
	retryMs?: number;
	now?: () => number;
}

/** The result of one pass over the spool. */
export interface Collected {
	/** False while another window or command collects. */
	isCollector: boolean;
	/** Records stored in this pass. */
	records: number;
	sessions: SessionId[];
	/** Files that were listed are left for the next pass. */
	hasMore: boolean;
}

const MOST_PROBLEMS = 100;

/** How long a session is left alone whose file alone refused an event, and what cannot be looked at. In milliseconds: each try is work. */
const RETRY_MS = 10_000;

/**
 * Moves hook events from the spool into `traffic/<session>.jsonl`. A kill at any point neither loses nor repeats one. A file is claimed by
 * rename, stored, then removed. A dead collector's claims are looked up in the stored records before they are taken again.
 */
export class Collector implements Disposable {
	private readonly files: SpoolFiles;
	private readonly lock: ProcessLock;
	private readonly claims: Claims;
	private readonly limits: TrafficLimits;
	private readonly retryMs: number;
	private readonly now: () => number;
	private readonly reported = new NewestMap<string, FileProblem>(MOST_PROBLEMS);
	/** Listed by a pass that took only a part of it. */
	private left: WaitingFile[][] = [];
	private running: Promise<unknown> = Promise.resolve();
	private hasLock = false;
	/** When the folders of claims are looked at next (milliseconds): this process's own, after a pass that failed, is among them. */
	private recoverAtMs = 0;
	/** Sessions whose file refused an event, until when they are left alone (milliseconds), and their files that were read already. */
	private readonly setAside = new Map<SessionId, { untilMs: number; names: Set<string> }>();
	private notBeforeMs = 0;
	private appendsSinceCheck = Infinity;
	private disposed = false;

	constructor(
		private readonly workspace: Workspace,
		private readonly drivers: readonly Driver[],
		options: CollectorOptions = {},
	) {
		this.lock = new ProcessLock(join(workspace.paths.root, 'collector.lock'));
		this.claims = new Claims(workspace.paths);
		this.limits = { ...DEFAULT_LIMITS, ...options.limits };
		this.retryMs = options.retryMs ?? 2000;
		this.now = options.now ?? Date.now;
		this.files = new SpoolFiles(workspace.paths.spool, this.drivers, {
			unfinishedMs: options.unfinishedMs ?? 30_000,
			now: this.now,
			report: (file, reason) => this.report(file, reason),
		});
	}

	/** Files that could not be collected, each problem once. */
	get problems(): readonly FileProblem[] {
		return this.reported.values();
	}

	/** Collects the present files. Calls queue up, so the last call has seen every file that existed when it was made. */
	collect(): Promise<Collected> {
		return this.queue(() => {
			this.left = [];
			return this.pass(Infinity);
		});
	}

	/** Collects a part of the present files, so that views need not wait for a long backlog. */
	collectSome(): Promise<Collected> {
		return this.queue(() => this.pass(1));
	}

	private queue(work: () => Promise<Collected>): Promise<Collected> {
		const pass = this.running.then(work);
		this.running = pass.catch(() => undefined);
		return pass;
	}

	/** Ends the present pass after its batch, then lets another window collect. */
	async close(): Promise<void> {
		this.disposed = true;
		await this.running;
		if (this.hasLock) await this.lock.release();
		this.hasLock = false;
	}

	dispose(): void {
		// A lock that could not be given back is taken over once this process has ended.
		this.close().catch(() => undefined);
	}

	private async pass(mostBatches: number): Promise<Collected> {
		const sessions = new Set<SessionId>();
		const result = (records: number): Collected => ({
			isCollector: this.hasLock,
			records,
			sessions: [...sessions],
			hasMore: this.left.length > 0,
		});
		if (this.disposed || this.now() < this.notBeforeMs) return result(0);
		const hadLock = this.hasLock;
		try {
			this.workspace.refuseLinks();
			this.hasLock = await this.lock.hold();
		} catch (error) {
			this.hasLock = false;
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return result(0);
			this.wait(this.workspace.paths.root, error);
			return result(0);
		}
		this.reported.delete(this.workspace.paths.root);
		if (!this.hasLock || !hadLock) [this.left, this.recoverAtMs] = [[], 0];
		if (!this.hasLock) return result(0);
		let nextMs = this.recoverAtMs;
		if (this.now() >= nextMs) nextMs = (await this.claims.recover(this.drivers)) ? Infinity : this.now() + RETRY_MS;
		this.recoverAtMs = 0; // until this pass has come to its end
		this.endSetAside();
		// Listed once for all its parts: a listing for each would make the cost of a long backlog quadratic.
		if (this.left.length === 0) {
			const aside = new Set([...this.setAside.values()].flatMap(({ names }) => [...names]));
			this.left = [...batches((await this.files.list()).filter(({ name }) => !aside.has(name)))];
		}
		let records = 0;
		for (const batch of this.left.splice(0, mostBatches)) {
			records += await this.store(batch, sessions);
			if (this.disposed || this.now() < this.notBeforeMs) {
				this.left = [];
				break;
			}
		}
		this.recoverAtMs = nextMs;
		await this.claims.tidy();
		if (this.appendsSinceCheck > 200) {
			this.appendsSinceCheck = 0;
			await keepWithin(this.workspace.paths, this.limits).catch((error: unknown) => {
				if (!hasErrno(error, 'ENOENT')) this.report(this.workspace.paths.traffic, errorText(error));
			});
		}
		return result(records);
	}

	private async store(batch: readonly WaitingFile[], sessions: Set<SessionId>): Promise<number> {
		const linesBySession = new Map<SessionId, { names: string[]; make: MakeLine[] }>();
		for (const { file, spooled } of await this.files.read(batch)) {
			const aside = spooled.is === 'record' ? this.setAside.get(spooled.session) : undefined;
			aside?.names.add(file.name);
			if (aside) continue;
			const claimed = await this.settle(file, spooled);
			if (!claimed || spooled.is !== 'record') continue;
			const stamp = { id: recordId(file), at: new Date(Number(file.mtimeNs / 1_000_000n)).toISOString() };
			const lines = linesBySession.get(spooled.session) ?? { names: [], make: [] };
			lines.names.push(file.name);
			lines.make.push(address => JSON.stringify(spooled.record({ ...stamp, address })));
			linesBySession.set(spooled.session, lines);
		}
		let stored = 0;
		for (const [session, { names, make }] of linesBySession) {
			const count = await this.storeLines(session, names, make);
			if (count > 0) sessions.add(session);
			stored += count;
		}
		return stored;
	}

	/** Stores one session's claimed files, and gives back those that do not fit. Returns how many were stored. */
	private async storeLines(session: SessionId, names: readonly string[], make: readonly MakeLine[]): Promise<number> {
		if (await this.append(session, make)) {
			await inGroups(names, 32, name => this.claims.drop(name));
			return names.length;
		}
		const half = Math.floor(names.length / 2);
		if (half === 0) {
			await inGroups(names, 32, name => this.claims.giveBack(name));
			return 0;
		}
		// On a nearly full disk each stored file makes room for the next.
		const stored = await this.storeLines(session, names.slice(0, half), make.slice(0, half));
		if (stored === half) return stored + (await this.storeLines(session, names.slice(half), make.slice(half)));
		// In order or not at all.
		await inGroups(names.slice(half), 32, name => this.claims.giveBack(name));
		return stored;
	}

	/** Acts on a verdict; true if the file is claimed and its record must be stored. */
	private async settle(file: WaitingFile, spooled: Spooled): Promise<boolean> {
		if (spooled.is === 'unfinished') {
			if (this.files.isGivenUp(file)) await this.reject(file.name, spooled.reason);
			return false;
		}
		this.files.forget(file.name);
		if (spooled.is === 'foreign') this.files.leave(file.name, 'not a file of the spool');
		if (spooled.is === 'wrong') await this.reject(file.name, spooled.reason);
		if (spooled.is === 'silent') await rm(join(this.workspace.paths.spool, file.name), { force: true });
		return spooled.is === 'record' && this.claim(file.name);
	}

	private async claim(name: string): Promise<boolean> {
		try {
			return await this.claims.take(name);
		} catch (error) {
			this.wait(this.workspace.paths.spool, error);
			return false;
		}
	}

	private async append(session: SessionId, make: readonly MakeLine[]): Promise<boolean> {
		const { paths } = this.workspace;
		const file = paths.trafficFile(session);
		try {
			const address = (await sessionBinding(this.workspace, session))?.address;
			const lines = make.map(line => line(address));
			await appendLines(paths, session, lines, this.limits).catch(async (error: unknown) => {
				if (!hasErrno(error, 'ENOENT')) throw error;
				await mkdir(paths.traffic, { recursive: true, mode: 0o700 });
				await appendLines(paths, session, lines, this.limits);
			});
			this.appendsSinceCheck++;
			this.reported.delete(file);
			this.notBeforeMs = 0;
			return true;
		} catch (error) {
			if (hasErrno(error, 'ENOSPC', 'EDQUOT', 'EROFS')) this.wait(file, error);
			else {
				// This file alone, such as one that root has made: the events of other agents do not wait for it.
				this.setAside.set(session, { untilMs: this.now() + RETRY_MS, names: new Set() });
				this.report(file, errorText(error));
			}
			return false;
		}
	}

	/** They are tried again in the order of their time, so all files are listed anew. */
	private endSetAside(): void {
		for (const [session, { untilMs }] of this.setAside) {
			if (this.now() < untilMs) continue;
			this.setAside.delete(session);
			this.left = [];
		}
	}

	/** Leaves a disk that refused a write alone for a while. */
	private wait(file: string, error: unknown): void {
		this.notBeforeMs = this.now() + this.retryMs;
		const isFull = hasErrno(error, 'ENOSPC', 'EDQUOT');
		this.report(file, isFull ? 'the disk is full; events wait in the spool until there is room' : errorText(error));
	}

	private async reject(name: string, reason: string): Promise<void> {
		try {
			const copy = await keepRejected(this.workspace.paths.spool, name);
			if (copy !== undefined) this.report(copy, reason);
			this.files.forget(name);
		} catch (error) {
			this.wait(join(this.workspace.paths.spool, name), error);
		}
	}

	private report(file: string, reason: string): void {
		this.reported.set(file, { file, reason });
	}
}

type MakeLine = (address: WorkerAddress | undefined) => string;

async function inGroups<T>(items: readonly T[], size: number, work: (item: T) => Promise<unknown>): Promise<void> {
	for (let start = 0; start < items.length; start += size)
		await Promise.all(items.slice(start, start + size).map(work));
}
