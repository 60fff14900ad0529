import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextIfExists } from '../../base/atomicFile.ts';
import { isSameProcess, ownIdentity, type ProcessIdentity } from '../../base/liveness.ts';
import { look, stampOf } from '../../base/look.ts';
import { sha256 } from '../../base/sha256.ts';
import { folderNames } from '../../base/listing.ts';
import { DelegateId, DelegateRecord } from '../../protocol/delegate.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { Isolation } from '../../protocol/isolation.ts';
import { RemotePhase } from '../../protocol/remoteJob.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import { holdingOwnLock } from '../files/holdingLock.ts';
import { Leases } from '../files/leases.ts';
import { NancyPaths } from '../files/paths.ts';
import { OwnFolder, unlessBad } from '../files/ownFolder.ts';
import { readPlainFile } from '../files/plainFile.ts';
import { JobsElsewhere } from './jobsElsewhere.ts';
import { Stops } from './stops.ts';
import { MergeRecords } from '../worktrees/mergeRecords.ts';
import { Answered, End, Issued, Kept, Made, Run, type Mailbox } from './ticketRecords.ts';

/** In place of an output that its runner has not written. */
export const OUTPUT_CHANGED = 'its output was changed or removed since it ended, so it is not shown';

/** Why a delegate without a ticket is not run. */
export const NO_TICKET = 'it was not queued by you on this machine, or was changed since; delegate it again';

type Asked = Pick<DelegateRecord, 'id' | 'isolate'> & { parent?: Mailbox | null | undefined };

/** A delegate's progress: `run` while it runs, `end` once it has ended, neither while it waits. */
export interface Facts {
	/** Its own. Absent for one that an earlier version has queued. */
	mailbox: Mailbox | undefined;
	/** Who gets the result; `null` for the human. Absent for one that an earlier version has queued. */
	parent: Mailbox | null | undefined;
	report: MessageId | undefined;
	isolate: Isolation | undefined;
	run: { runner: ProcessIdentity } | undefined;
	end: End | undefined;
	/** Its worktree, which may be removed by now. Absent for one that an earlier version has run. */
	worktree: Worktree | undefined;
	/** The hash of the answer that its runner has written: see {@link answerDigest}. */
	answer: string | undefined;
}

/** By this hash an answer is known as the one that the runner has written. */
export function answerDigest(output: string): string {
	return sha256(output);
}

const FOLDER = 'delegates';
const ISSUED = 'ticket.json';
const KEPT = 'request.json';
const RUN = 'run.json';
const WORKTREE = 'worktree.json';
const REMOTE = 'remote.json';
const ANSWER = 'answer.json';
const END = 'end.json';

/**
 * This user's requests on this machine for one workspace, and their progress, in the user's own folder. Agents write in `.nancy/delegates`,
 * and a repository can bring files there, so those are a view for people. Each step is a file of its own, so a kill leaves the step before
 * or the step after.
 */
export class Tickets {
	private readonly own: OwnFolder;
	readonly jobs: JobsElsewhere;
	readonly stops: Stops;

	/**
	 * @param dataFolder the user's: see base/folders
	 * @param workspaceFolder whose delegates these are
	 */
	constructor(
		private readonly dataFolder: string,
		workspaceFolder: string,
	) {
		this.own = new OwnFolder(dataFolder, workspaceFolder);
		this.jobs = new JobsElsewhere(this.own, new Leases(new NancyPaths(workspaceFolder).machines));
		this.stops = new Stops(this.own, FOLDER, async id => (await this.facts(id)) !== undefined);
	}

	/**
	 * @param files that describe the request: its record and its prompt
	 * @param contents of these files, present or future
	 * @param report the message that will carry the result
	 */
	async issue(
		{ id, task, worker, parent = null, isolate }: Mailbox & Asked,
		files: readonly string[],
		contents: readonly string[],
		report?: MessageId,
	): Promise<void> {
		const mailbox = { task, worker };
		const issued = { version: 1, digest: digest(files, contents), mailbox, parent, report, isolate };
		await this.own.write(issued, FOLDER, id, ISSUED);
	}

	/** The unfinished delegates of a mailbox. It is one, unless the records of workers were changed. */
	async openAt(mailbox: Mailbox): Promise<DelegateId[]> {
		return (await this.at(mailbox)).flatMap(({ id, facts }) => (facts?.end ? [] : [id]));
	}

	/** The delegate of a mailbox, if it has ended. */
	async endedAt(mailbox: Mailbox): Promise<{ id: DelegateId; facts: Facts } | undefined> {
		const [found, ...others] = await this.at(mailbox);
		return found?.facts?.end && others.length === 0 ? { ...found, facts: found.facts } : undefined;
	}

	private async at({ task, worker }: Mailbox): Promise<{ id: DelegateId; facts: Facts | undefined }[]> {
		const found = [];
		for (const name of await folderNames(this.own.path(FOLDER))) {
			// One that cannot be read, as after a power cut, names no mailbox, and keeps nobody else's from being found.
			const mailbox = (await this.own.read(Issued, FOLDER, name, ISSUED).catch(unlessBad))?.mailbox;
			if (mailbox?.task !== task || mailbox.worker !== worker) continue;
			const id = DelegateId.parse(name);
			found.push({ id, facts: await this.facts(id) });
		}
		return found;
	}

	/** Keeps the content of its files. From then on these are its request, whatever becomes of the files. */
	async keep(id: DelegateId, contents: readonly string[]): Promise<void> {
		await this.own.write({ version: 1, contents }, FOLDER, id, KEPT);
	}

	/** The open delegates with a kept request. */
	async kept(): Promise<DelegateId[]> {
		const names = await folderNames(this.own.path(FOLDER));
		return names
			.filter(
				name => existsSync(this.own.path(FOLDER, name, KEPT)) && !existsSync(this.own.path(FOLDER, name, END)),
			)
			.map(name => DelegateId.parse(name));
	}

	/** What {@link keep} has kept. `undefined` without a ticket. */
	async keptContents(id: DelegateId): Promise<string[] | undefined> {
		return (await this.facts(id)) && (await this.own.read(Kept, FOLDER, id, KEPT))?.contents;
	}

	/**
	 * The content of the files, read once, or what is kept of it. A caller runs these very bytes, because the files may change a moment
	 * later. `undefined` without a ticket for them.
	 */
	async read(id: DelegateId, files: readonly string[]): Promise<string[] | undefined> {
		return (await this.present(id, files)) ?? this.keptContents(id);
	}

	private async present(id: DelegateId, files: readonly string[]): Promise<string[] | undefined> {
		const expected = (await this.own.read(Issued, FOLDER, id, ISSUED))?.digest ?? (await this.earlier(id));
		if (expected === undefined) return undefined;
		const contents = await Promise.all(files.map(file => readPlainFile(file))).catch(() => undefined);
		const found = contents?.filter(bytes => bytes !== undefined);
		if (found?.length !== files.length || expected !== digest(files, found)) return undefined;
		return found.map(bytes => bytes.toString('utf8'));
	}

	/** Whether this user has queued a delegate with this id, whatever its files say by now. */
	async has(id: DelegateId): Promise<boolean> {
		return (await this.facts(id)) !== undefined || (await this.earlier(id)) !== undefined;
	}

	async isValid(id: DelegateId, files: readonly string[]): Promise<boolean> {
		return (await this.read(id, files)) !== undefined;
	}

	/** `undefined` for one that this user has not queued here, or not with this version: see {@link adopt}. */
	async facts(id: DelegateId): Promise<Facts | undefined> {
		const issued = await this.own.read(Issued, FOLDER, id, ISSUED);
		if (!issued) return undefined;
		const end = await this.own.read(End, FOLDER, id, END);
		const run = end ? undefined : await this.own.read(Run, FOLDER, id, RUN);
		const answer = (await this.own.read(Answered, FOLDER, id, ANSWER))?.digest;
		const { mailbox, parent, report, isolate } = issued;
		return { mailbox, parent, report, isolate, run, end, worktree: await this.worktree(id), answer };
	}

	/** Uses the ticket up. `false`: it is used up already, and nothing may be run. Exactly one caller gets `true`. */
	async begin(id: DelegateId, runner: ProcessIdentity): Promise<boolean> {
		return this.own.create({ version: 1, runner, startedAt: new Date().toISOString() }, FOLDER, id, RUN);
	}

	/** Names another runner: the one before is dead, and the delegate goes on on another machine. Needs the queue's lock. */
	async takeOver(id: DelegateId, runner: ProcessIdentity): Promise<void> {
		await this.own.write({ version: 1, runner, startedAt: new Date().toISOString() }, FOLDER, id, RUN);
	}

	/** Whether another process than this one runs it by now, because this machine was silent for too long. */
	async isTakenOver(id: DelegateId): Promise<boolean> {
		const run = await this.own.read(Run, FOLDER, id, RUN);
		return run !== undefined && !isSameProcess(run.runner, ownIdentity());
	}

	/** Differs once {@link isTakenOver} or an answer of {@link stops} may. */
	async lookAtOrders(id: DelegateId): Promise<string> {
		return `${stampOf(await look(this.own.path(FOLDER, id, RUN)))} ${await this.stops.look(id)}`;
	}

	/** A step about its messages that a runner and a person must not do at once. */
	alone<T>(id: DelegateId, step: () => Promise<T>): Promise<T> {
		return holdingOwnLock(this.own, `mail-${id}.lock`, step);
	}

	/** How far it has come on another machine. */
	remotePhase(id: DelegateId): Promise<RemotePhase | undefined> {
		return this.own.read(RemotePhase, FOLDER, id, REMOTE);
	}

	/** Differs once {@link remotePhase} may. */
	async lookElsewhere(id: DelegateId): Promise<string> {
		return stampOf(await look(this.own.path(FOLDER, id, REMOTE)));
	}

	/** Notes how far it has come. Notes nothing for one that was not queued here. */
	async writeRemotePhase(id: DelegateId, phase: RemotePhase): Promise<void> {
		if (await this.has(id)) await this.own.write(phase, FOLDER, id, REMOTE);
		if (phase.phase === 'collected') await this.jobs.collected(id);
		if (phase.phase === 'cleaned' || phase.phase === 'kept') await this.jobs.end(id);
	}

	/** The worktree that its runner has made for it. */
	async worktree(id: DelegateId): Promise<Worktree | undefined> {
		return (await this.own.read(Made, FOLDER, id, WORKTREE))?.worktree;
	}

	/** Notes its worktree, before its files name it. Notes nothing for one that was not queued here. */
	async made(id: DelegateId, worktree: Worktree): Promise<void> {
		if (await this.facts(id)) await this.own.write({ version: 1, worktree }, FOLDER, id, WORKTREE);
	}

	/** Notes its answer, before it is in its file. Notes nothing for one that was not queued here. */
	async answered(id: DelegateId, output: string): Promise<void> {
		if (!(await this.facts(id))) return;
		await this.own.write({ version: 1, digest: answerDigest(output) }, FOLDER, id, ANSWER);
	}

	/** Notes the end, before anybody learns of it. Notes nothing for one that was not queued here. */
	async end(id: DelegateId, end: Pick<End, 'error' | 'report' | 'isReported'>): Promise<void> {
		if (!(await this.facts(id))) return;
		await this.own.write({ version: 1, endedAt: new Date().toISOString(), ...end }, FOLDER, id, END);
	}

	/** The merges of its worktree. */
	merges(id: DelegateId): MergeRecords {
		return new MergeRecords(this.own, [FOLDER, id]);
	}

	/** The ticket goes first: after a kill the leftovers run nothing. */
	async remove(id: DelegateId): Promise<void> {
		await rm(this.earlierFile(id), { force: true });
		await this.own.remove(FOLDER, id, ISSUED);
		await this.own.remove(FOLDER, id);
	}

	/**
	 * Takes over a ticket of an earlier version, which was only the hash. The state of its delegate is not proved: it counts as ended or
	 * started if any file says so. Safe to repeat. `false`: there is none for these files.
	 */
	async adopt(
		id: DelegateId,
		files: readonly string[],
		seen: {
			runner?: ProcessIdentity | undefined;
			report?: MessageId | undefined;
			end?: { error?: string; isReported: boolean };
		},
	): Promise<boolean> {
		const earlier = await this.earlier(id);
		const [text] = (await this.read(id, files)) ?? [];
		if (earlier === undefined || text === undefined) return false;
		const { task, worker, parent = null } = DelegateRecord.parse(JSON.parse(text));
		const { runner, report, end } = seen;
		const endedAt = new Date().toISOString();
		if (end) await this.own.create({ version: 1, endedAt, ...end, report }, FOLDER, id, END);
		else if (runner) await this.begin(id, runner);
		await this.own.create(
			{ version: 1, digest: earlier, mailbox: { task, worker }, parent, report },
			FOLDER,
			id,
			ISSUED,
		);
		await rm(this.earlierFile(id), { force: true });
		return true;
	}

	private async earlier(id: DelegateId): Promise<string | undefined> {
		return (await readTextIfExists(this.earlierFile(id)))?.trim();
	}

	private earlierFile(id: DelegateId): string {
		return join(this.dataFolder, 'tickets', id);
	}
}

function digest(files: readonly string[], contents: readonly (string | Uint8Array)[]): string {
	return sha256(...files.flatMap((file, index) => [`${file}\0`, contents[index] ?? '', '\0']));
}
