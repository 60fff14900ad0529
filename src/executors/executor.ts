import { NancyError } from '../base/errors.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { MessageId } from '../protocol/names.ts';
import type { RemoteJob, RemoteLetter, Seen, TakenBack } from '../protocol/remoteJob.ts';
import type { Worktree } from '../protocol/worktree.ts';

/** What identifies a job there. */
export type JobName = Pick<RemoteJob, 'id' | 'repository'>;

/** Told in the words of whoever has it wait. */
export type Waits = (why: string) => Promise<void>;

/** What is there of a job is gone, so its work is. */
export class WorkGone extends NancyError {}

/** The job was not submitted, and nothing of it runs there. */
export class NotSubmitted extends NancyError {}

/**
 * A place where delegates run that is not this machine. Every call has a time limit. A repeat of any call does no harm. `timeout` from a call
 * says nothing about the job: only {@link observe} tells.
 */
export interface Executor {
	/** From this look at a job there to the next, in milliseconds. It is longer while many are watched. */
	readonly pauseMs: number;
	/**
	 * Ships what the job needs: Nancy itself, the repository, the commit that it begins with.
	 * @param signal ends it with an error
	 * @param waits told why the job has to wait for a machine
	 * @returns the names of the variables that its agent waits for once it has begun; none where they go with the submission
	 */
	prepare(job: RemoteJob, worktree: Worktree, signal: AbortSignal, waits: Waits): Promise<string[] | undefined>;
	/** Starts the job, once, however often it is asked. */
	submit(job: RemoteJob): Promise<void>;
	/** Puts messages into the mailbox there. Each comes there once, however often it is carried. */
	carry(job: RemoteJob, letters: readonly RemoteLetter[]): Promise<void>;
	/** Takes a message back, whether or not it has come there. A repeat gets the same answer, unless the agent got the message in between. */
	takeBack(job: DelegateId, message: MessageId): Promise<TakenBack>;
	/**
	 * @param offset of the log, in bytes
	 * @param carried the messages of which receipts are wanted
	 * @param signal ends the wait for another process, which looks for this one too. Then this process looks by itself.
	 */
	observe(job: RemoteJob, offset: number, carried: readonly RemoteLetter[], signal?: AbortSignal): Promise<Seen>;
	/** Asks the job to end. Only {@link observe} tells that it has. */
	cancel(job: RemoteJob): Promise<void>;
	/** Ends whatever is left of a job that does not say what its work is, and commits that. Returns whether there is any to collect. */
	rescue(job: JobName): Promise<boolean>;
	/**
	 * Brings the work of an ended job into its worktree here: see git/remoteRepository.
	 * @returns the branches here that hold other branches, tags and stashes of its agent
	 * @throws WorkBesides if a branch beside the worktree has the work
	 */
	collect(job: JobName, worktree: Worktree): Promise<readonly string[]>;
	/** Where the files of a job are, in words for its user. */
	place(job: JobName): string;
	/** Leaves no process, worktree or folder of the job there. */
	cleanUp(job: JobName): Promise<void>;
	/** Nothing is asked of it any more. Others who watch jobs there go on without this process. */
	close(): void;
}
