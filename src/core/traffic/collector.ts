import { lstat, mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { moveIfThere } from '../../base/atomicFile.ts';
import { errorText, hasErrno } from '../../base/errors.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { identify, liveness } from '../../base/liveness.ts';
import { NewestMap } from '../../base/newestMap.ts';
import type { DriverId, SessionId } from '../../protocol/names.ts';
import type { Driver } from '../driver.ts';
import type { FileProblem, WorkerAddress, Workspace } from '../workspace.ts';
import { ProcessLock } from '../processLock.ts';
import { keepRejected } from './rejected.ts';
import { readSpooled, type Spooled } from './spooled.ts';
import { appendLines, DEFAULT_LIMITS, keepWithin, storedIds, type TrafficLimits } from './trafficFile.ts';

export interface CollectorOptions {
	limits?: Partial<TrafficLimits>;
	/** How long a file may stand in the spool unchanged without being whole, in milliseconds. Default 30,000. */
	unfinishedMs?: number;
	/** How long to leave a disk alone that took nothing, in milliseconds. Default 2,000. */
	retryMs?: number;
	now?: () => number;
}

/** What one pass over the spool did. */
export interface Collected {
	/** False while another window or command collects. */
	isCollector: boolean;
	/** Records stored in this pass. */
	records: number;
	sessions: SessionId[];
}

/** A file of the spool as listed: its time says where it belongs among the others, and with its name who it is. */
interface Listed {
	name: string;
	mtimeNs: bigint;
	size: number;
}

const CLAIMED = /^\.claimed-(\d+)-(\d+)$/;

/** Files that are read and stored together: enough to make a batch, few enough to hold in memory. */
const BATCH_FILES = 512;
const BATCH_BYTES = 8 * 1024 * 1024;

/** A larger file is no hook event. */
const LARGEST_FILE = 64 * 1024 * 1024;

const MOST_PROBLEMS = 100;

/**
 * Moves hook events from the spool into `traffic/<session>.jsonl`. Killed at any point it neither loses nor repeats one:
 * a file is claimed by rename, stored, then removed, and what a dead collector had claimed is looked up in the stored
 * records before it is taken again.
 */
export class Collector implements Disposable {
	private readonly collected = new Emitter<readonly SessionId[]>();
	/** Sessions whose files grew. */
	readonly onDidCollect: Event<readonly SessionId[]> = this.collected.event;

	private readonly drivers: ReadonlyMap<DriverId, Driver>;
	private readonly lock: ProcessLock;
	private readonly claimed: string;
	private readonly limits: TrafficLimits;
	private readonly unfinishedMs: number;
	private readonly retryMs: number;
	private readonly now: () => number;
	/** Files of the spool that are not whole, as they were when last read. */
	private readonly unfinished = new Map<string, { mtimeNs: bigint; size: number; sinceMs: number }>();
	/** Files that are not Nancy's: reported once, then left out. */
	private readonly foreign = new Set<string>();
	private readonly reported = new NewestMap<string, FileProblem>(MOST_PROBLEMS);
	private running: Promise<unknown> = Promise.resolve();
	private hasLock = false;
	private notBeforeMs = 0;
	private appendsSinceCheck = Infinity;
	private disposed = false;

	constructor(
		private readonly workspace: Workspace,
		drivers: readonly Driver[],
		options: CollectorOptions = {},
	) {
		const me = identify(process.pid);
		this.drivers = new Map(drivers.map(driver => [driver.id, driver]));
		this.lock = new ProcessLock(join(workspace.paths.root, 'collector.lock'));
		this.claimed = join(workspace.paths.spool, `.claimed-${me.pid}-${me.startedTicks}`);
		this.limits = { ...DEFAULT_LIMITS, ...options.limits };
		this.unfinishedMs = options.unfinishedMs ?? 30_000;
		this.retryMs = options.retryMs ?? 2000;
		this.now = options.now ?? Date.now;
	}

	/** What could not be collected, each thing once. */
	get problems(): readonly FileProblem[] {
		return this.reported.values();
	}

	/** Collects what is there. Calls queue up, so that the last one has seen everything that was there when it was made. */
	collect(): Promise<Collected> {
		const pass = this.running.then(() => this.pass());
		this.running = pass.catch(() => undefined);
		return pass;
	}

	/** Ends the pass at hand after its batch, then lets another window collect. */
	async close(): Promise<void> {
		this.disposed = true;
		await this.running;
		if (this.hasLock) await this.lock.release();
		this.hasLock = false;
		this.collected.dispose();
	}

	dispose(): void {
		// A lock that could not be given back is taken over once this process has ended.
		this.close().catch(() => undefined);
	}

	private async pass(): Promise<Collected> {
		const sessions = new Set<SessionId>();
		const result = (records: number): Collected => ({
			isCollector: this.hasLock,
			records,
			sessions: [...sessions],
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
		if (!this.hasLock) return result(0);
		if (!hadLock) await this.recover();
		const waiting = await this.list();
		let records = 0;
		for (const batch of batches(waiting)) {
			records += await this.store(batch, sessions);
			if (this.disposed || this.now() < this.notBeforeMs) break;
		}
		await rmdir(this.claimed).catch(() => undefined); // not there, or not empty: then it is needed
		if (this.appendsSinceCheck > 200) {
			this.appendsSinceCheck = 0;
			await keepWithin(this.workspace.paths, this.limits).catch((error: unknown) => {
				if (!hasErrno(error, 'ENOENT')) this.report(this.workspace.paths.traffic, errorText(error));
			});
		}
		if (sessions.size > 0) this.collected.fire([...sessions]);
		return result(records);
	}

	/** The spool's files, oldest first. */
	private async list(): Promise<Listed[]> {
		const names: string[] = [];
		for (const entry of await entriesOf(this.workspace.paths.spool)) {
			if (entry.name.startsWith('.') || entry.name === 'rejected' || this.foreign.has(entry.name)) continue;
			if (entry.isFile()) names.push(entry.name);
			else this.leave(entry.name, 'not a file');
		}
		const listed: Listed[] = [];
		await inGroups(names, 128, async name => {
			const found = await lstat(join(this.workspace.paths.spool, name), { bigint: true }).catch(() => undefined);
			if (found?.isFile()) listed.push({ name, mtimeNs: found.mtimeNs, size: Number(found.size) });
		});
		const present = new Set(names);
		for (const name of this.unfinished.keys()) if (!present.has(name)) this.unfinished.delete(name);
		return listed.sort(byTime);
	}

	private async store(batch: readonly Listed[], sessions: Set<SessionId>): Promise<number> {
		const linesBySession = new Map<SessionId, { names: string[]; make: MakeLine[] }>();
		for (const { file, spooled } of await this.readAll(batch)) {
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

	/** Stores one session's claimed files, and gives back what does not fit. Returns how many were stored. */
	private async storeLines(session: SessionId, names: readonly string[], make: readonly MakeLine[]): Promise<number> {
		if (await this.append(session, make)) {
			await inGroups(names, 32, name => rm(join(this.claimed, name), { force: true }));
			return names.length;
		}
		const half = Math.floor(names.length / 2);
		if (half === 0) {
			await inGroups(names, 32, name => this.giveBack(name));
			return 0;
		}
		// On a disk that is nearly full each file that is stored makes room for the next.
		const stored = await this.storeLines(session, names.slice(0, half), make.slice(0, half));
		if (stored === half) return stored + (await this.storeLines(session, names.slice(half), make.slice(half)));
		// In order or not at all.
		await inGroups(names.slice(half), 32, name => this.giveBack(name));
		return stored;
	}

	private async readAll(batch: readonly Listed[]): Promise<{ file: Listed; spooled: Spooled }[]> {
		const texts = new Map<Listed, string>();
		await inGroups(batch, 32, async file => {
			const known = this.unfinished.get(file.name);
			const isUnchanged = known?.mtimeNs === file.mtimeNs && known.size === file.size;
			if (file.size > LARGEST_FILE || (isUnchanged && this.now() - known.sinceMs < this.unfinishedMs)) return;
			const text = await readFile(join(this.workspace.paths.spool, file.name), 'utf8').catch(() => undefined);
			if (text !== undefined) texts.set(file, text);
		});
		const read: { file: Listed; spooled: Spooled }[] = [];
		for (const file of batch) {
			const text = texts.get(file);
			if (text !== undefined) read.push({ file, spooled: readSpooled(file.name, text, this.drivers) });
			else if (file.size > LARGEST_FILE) read.push({ file, spooled: { is: 'wrong', reason: 'too large' } });
		}
		return read;
	}

	/** Does what a verdict asks for; true when the file is claimed and its record is to be stored. */
	private async settle(file: Listed, spooled: Spooled): Promise<boolean> {
		if (spooled.is === 'unfinished') {
			const known = this.unfinished.get(file.name);
			const isUnchanged = known?.mtimeNs === file.mtimeNs && known.size === file.size;
			if (isUnchanged && this.now() - known.sinceMs >= this.unfinishedMs)
				await this.reject(file.name, spooled.reason);
			else if (!isUnchanged) this.unfinished.set(file.name, { ...file, sinceMs: this.now() });
			return false;
		}
		this.unfinished.delete(file.name);
		if (spooled.is === 'foreign') this.leave(file.name, 'not a file of the spool');
		if (spooled.is === 'wrong') await this.reject(file.name, spooled.reason);
		if (spooled.is === 'silent') await rm(join(this.workspace.paths.spool, file.name), { force: true });
		return spooled.is === 'record' && this.claim(file.name);
	}

	private async claim(name: string): Promise<boolean> {
		const from = join(this.workspace.paths.spool, name);
		const to = join(this.claimed, name);
		try {
			await rename(from, to);
			return true;
		} catch (error) {
			if (!hasErrno(error, 'ENOENT')) throw error;
		}
		try {
			await mkdir(this.claimed, { recursive: true, mode: 0o700 });
			return await moveIfThere(from, to);
		} catch (error) {
			this.wait(this.workspace.paths.spool, error);
			return false;
		}
	}

	private async giveBack(name: string): Promise<void> {
		await moveIfThere(join(this.claimed, name), join(this.workspace.paths.spool, name));
	}

	private async append(session: SessionId, make: readonly MakeLine[]): Promise<boolean> {
		const { paths } = this.workspace;
		const file = paths.trafficFile(session);
		try {
			const address = (await this.workspace.sessionBinding(session))?.address;
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
			this.wait(file, error);
			return false;
		}
	}

	/** Lets a disk that took nothing alone for a while. */
	private wait(file: string, error: unknown): void {
		this.notBeforeMs = this.now() + this.retryMs;
		const isFull = hasErrno(error, 'ENOSPC', 'EDQUOT');
		this.report(file, isFull ? 'the disk is full; events wait in the spool until there is room' : errorText(error));
	}

	private async reject(name: string, reason: string): Promise<void> {
		try {
			const copy = await keepRejected(this.workspace.paths.spool, name);
			if (copy !== undefined) this.report(copy, reason);
			this.unfinished.delete(name);
		} catch (error) {
			this.wait(join(this.workspace.paths.spool, name), error);
		}
	}

	/** Leaves a file that is not Nancy's where it is, and says so once. */
	private leave(name: string, reason: string): void {
		this.foreign.add(name);
		this.report(join(this.workspace.paths.spool, name), reason);
	}

	private report(file: string, reason: string): void {
		this.reported.set(file, { file, reason });
	}

	/** Finishes what a collector that died had claimed: stored already, or back into the spool. */
	private async recover(): Promise<void> {
		for (const entry of await entriesOf(this.workspace.paths.spool)) {
			const match = entry.isDirectory() ? CLAIMED.exec(entry.name) : null;
			if (!match) continue;
			const folder = join(this.workspace.paths.spool, entry.name);
			const isMine = folder === this.claimed;
			const owner = { pid: Number(match[1]), startedTicks: Number(match[2]) };
			if (isMine || liveness(owner) === 'dead') await this.recoverFrom(folder);
		}
	}

	private async recoverFrom(folder: string): Promise<void> {
		const idsBySession = new Map<SessionId, Map<string, string>>();
		for (const { name } of await entriesOf(folder)) {
			const file = join(folder, name);
			const found = await lstat(file, { bigint: true }).catch(() => undefined);
			const text = await readFile(file, 'utf8').catch(() => undefined);
			if (!found?.isFile() || text === undefined) continue;
			const spooled = readSpooled(name, text, this.drivers);
			if (spooled.is !== 'record') {
				await moveIfThere(file, join(this.workspace.paths.spool, name));
				continue;
			}
			const ids = idsBySession.get(spooled.session) ?? new Map<string, string>();
			idsBySession.set(spooled.session, ids.set(recordId({ name, mtimeNs: found.mtimeNs }), name));
		}
		for (const [session, ids] of idsBySession) {
			const stored = await storedIds(this.workspace.paths, session, new Set(ids.keys()));
			for (const [id, name] of ids) {
				if (stored.has(id)) await rm(join(folder, name), { force: true });
				else await moveIfThere(join(folder, name), join(this.workspace.paths.spool, name));
			}
		}
		await rmdir(folder).catch(() => undefined); // something else is in it: not ours to remove
	}
}

type MakeLine = (address: WorkerAddress | undefined) => string;

/** Unique and the same again after a crash: a rename keeps both name and time. */
function recordId({ name, mtimeNs }: { name: string; mtimeNs: bigint }): string {
	return `${name}@${mtimeNs}`;
}

const numerically = new Intl.Collator('en', { numeric: true });

/**
 * By time; file systems keep it only to a few milliseconds, so within one step by the rest of the name, which begins with
 * the writer's pid: processes that started later have the higher one, but where the numbers wrap around.
 */
function byTime(a: Listed, b: Listed): number {
	if (a.mtimeNs !== b.mtimeNs) return a.mtimeNs < b.mtimeNs ? -1 : 1;
	return numerically.compare(uniqueOf(a.name), uniqueOf(b.name));
}

function uniqueOf(name: string): string {
	return name.slice(name.lastIndexOf('~') + 1);
}

function* batches(files: readonly Listed[]): Generator<Listed[]> {
	let batch: Listed[] = [];
	let bytes = 0;
	for (const file of files) {
		if (batch.length > 0 && (batch.length >= BATCH_FILES || bytes + file.size > BATCH_BYTES)) {
			yield batch;
			batch = [];
			bytes = 0;
		}
		batch.push(file);
		bytes += file.size;
	}
	if (batch.length > 0) yield batch;
}

async function inGroups<T>(items: readonly T[], size: number, work: (item: T) => Promise<unknown>): Promise<void> {
	for (let start = 0; start < items.length; start += size)
		await Promise.all(items.slice(start, start + size).map(work));
}

async function entriesOf(folder: string) {
	try {
		return await readdir(folder, { withFileTypes: true });
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	}
}
