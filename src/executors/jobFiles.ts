import { appendFileSync, statSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { hasCode, hasErrno } from '../base/errors.ts';
import { identify } from '../base/liveness.ts';
import { sha256 } from '../base/sha256.ts';
import { jsonText, parseJsonFile } from '../core/files/jsonFile.ts';
import { diskTime } from '../core/files/leases.ts';
import { readPlainTextSync } from '../core/files/plainFile.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import { ProcessRecord } from '../protocol/records.ts';
import { RemoteEnd, RemoteJob, RemoteStatus } from '../protocol/remoteJob.ts';

/**
 * The environment variable that marks everything a job starts, by its id. `NANCY_RUN` would make an agent of the runner: see core/asker/asker.
 */
export const REMOTE_MARK = 'NANCY_REMOTE_JOB';

const Runner = z.object({ runner: ProcessRecord });
/** After so long without a sign of life of its runner, in milliseconds, others decide whether it lives. */
const SILENT_MS = 3 * 60_000;

/** When a job was last put into a queue, and how often. */
const Submitted = z.object({
	atMs: z.number(),
	times: z.int(),
	/** Why the queue refused it, unless its list has it. */
	refused: z.optional(z.string()),
});

/** One job's files on this machine, which runs it for another. They are the truth about it. */
export class JobFiles {
	readonly folder: string;

	constructor(readonly id: DelegateId) {
		this.folder = join(remoteRoot(), 'jobs', id);
	}

	get tree(): string {
		return join(this.folder, 'tree');
	}
	/** Its bare repository: see git/repositoryThere. */
	get repository(): string {
		return join(this.folder, 'repository.git');
	}
	get log(): string {
		return join(this.folder, 'log');
	}
	/** Made by the one start that wins. */
	get fence(): string {
		return join(this.folder, 'started');
	}
	/** There once the worktree is whole, and its agent may work in it. */
	get begun(): string {
		return join(this.folder, 'begun');
	}
	get cancelled(): string {
		return join(this.folder, 'cancel');
	}
	get runnerFile(): string {
		return join(this.folder, 'runner.json');
	}
	get endFile(): string {
		return join(this.folder, 'end.json');
	}
	/** There while the job waits for the variables of its agent: see executors/variablesPipe. */
	get variablesPipe(): string {
		return join(this.folder, 'variables');
	}
	/** What the shell of a queued job prints. */
	get queueOutput(): string {
		return join(this.folder, 'queue.log');
	}
	/** What a machine knows of a queue, for all its jobs. Login machines of two clusters may share a home. */
	queueFile(key: string, machine: string): string {
		return join(remoteRoot(), `queue-${sha256(key, machine).slice(0, 16)}.json`);
	}

	/** Makes the fence. Whoever makes it runs the job, or ends it. */
	async claim(): Promise<boolean> {
		try {
			await mkdir(this.fence);
			return true;
		} catch (error) {
			if (hasErrno(error, 'EEXIST')) return false;
			throw error;
		}
	}

	/** Adds whole lines to the log. The end of a very long line is left out. */
	appendLog(text: string): void {
		appendFileSync(this.log, `${text.split('\n').map(shortLine).join('\n')}\n`);
	}

	job(): Promise<RemoteJob | undefined> {
		return this.read('job.json', RemoteJob);
	}
	/** To end it and to clean it up, whatever its agent has written there. */
	jobIfSound(): Promise<RemoteJob | undefined> {
		return this.job().catch(unlessGarbage);
	}
	writeJob(job: RemoteJob): Promise<void> {
		return this.write('job.json', job);
	}
	/** Garbage of its agent's counts as nothing, here and in status and end: it would keep the job from being ended. */
	async runner() {
		return (await this.read('runner.json', Runner).catch(unlessGarbage))?.runner;
	}
	/** A sign of life of the runner, dated by the disk's clock. It takes no room, for the disk may be full. */
	async beat(): Promise<void> {
		const file = await open(this.runnerFile, 'r+');
		try {
			await file.write('{', 0);
		} finally {
			await file.close();
		}
	}
	/** Whether the runner of a begun job has given a sign of life lately, wherever it is. */
	async showsLife(): Promise<boolean> {
		return (await ageOnDisk(this.runnerFile)) < SILENT_MS;
	}
	writeRunner(): Promise<void> {
		return this.write('runner.json', { runner: identify(process.pid) });
	}
	status() {
		return this.read('status.json', RemoteStatus).catch(unlessGarbage);
	}
	writeStatus(status: z.infer<typeof RemoteStatus>): Promise<void> {
		return this.write('status.json', RemoteStatus.parse(status));
	}
	submitted() {
		return this.read('submitted.json', Submitted);
	}
	writeSubmitted(submitted: z.infer<typeof Submitted>): Promise<void> {
		return this.write('submitted.json', submitted);
	}
	end() {
		return this.read('end.json', RemoteEnd).catch(unlessGarbage);
	}
	writeEnd(end: RemoteEnd): Promise<void> {
		return this.write('end.json', end);
	}

	/**
	 * At once: in a look at many jobs, the switches between threads of six calls for each file would take most of the time. So would the errors
	 * of files that are not there.
	 */
	private async read<S extends z.ZodMiniType>(name: string, schema: S): Promise<z.infer<S> | undefined> {
		const file = join(this.folder, name);
		const text = isThere(file) ? readPlainTextSync(file, LONGEST_FILE) : undefined;
		return text === undefined ? undefined : parseJsonFile(file, text, schema);
	}

	private write(name: string, value: unknown): Promise<void> {
		return writeFileAtomic(join(this.folder, name), jsonText(value), { sync: true });
	}
}

/** Whether a file is there. It throws where the disk does not say: a job that seems gone would be given up, with its work. */
export function isThere(file: string): boolean {
	return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** In milliseconds, by the disk's own clock: one on another machine may go otherwise. A full disk is asked by this machine's. */
export async function ageOnDisk(file: string): Promise<number> {
	const now = await diskTime(dirname(file)).catch(() => Date.now());
	return now - (await stat(file)).mtimeMs;
}

/** In bytes. The longest answer that is kept takes six million. The answer of a look at many jobs has room for this, and is read whole. */
const LONGEST_FILE = 8 * 1024 * 1024;

/** A disk that cannot be read now says nothing of a file. */
function unlessGarbage(error: unknown): undefined {
	if (!hasCode(error, 'bad-file')) throw error;
}

/** Limit of a line of the log, in UTF-16 units: at most four bytes each. */
const LONGEST_LINE = 32 * 1024;

function shortLine(line: string): string {
	const excess = line.length - LONGEST_LINE;
	return excess > 0 ? `${line.slice(0, LONGEST_LINE)} [… ${excess} characters left out …]` : line;
}

/** Everything of Nancy's on this machine that runs jobs for another. */
export function remoteRoot(): string {
	return join(homedir(), '.nancy-remote');
}
