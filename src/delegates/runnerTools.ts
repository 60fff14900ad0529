import type { Capacity } from '../core/delegates/admission.ts';
import type { Delegate } from '../core/delegates/delegate.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import type { FoundAgent } from '../core/driver/foundAgent.ts';
import type { WorkerRequest } from '../core/start/workerRequest.ts';
import type { Executor } from '../executors/executor.ts';
import type { ExecutorId } from '../protocol/executorId.ts';
import type { Seeker } from '../process/detect.ts';

/** `bin`: folder with the `nancy` command. `hooks`: where hooks come from; `undefined` if the user wants none. */
export interface Prepared extends Pick<WorkerRequest, 'bin' | 'hooks'> {
	/** Notes of its project that no hook tells it, to go before this prompt. Empty if there are none. */
	notesBefore: (prompt: string) => Promise<string>;
}

/** What the program around a delegate gives its runner. */
export interface RunnerTools {
	/** Without one of these, the delegate is not run. */
	tickets: Tickets;
	findAgent(agent: Delegate['record']['agent'], seeker: Seeker): Promise<FoundAgent>;
	/** Writes what the agent needs. A failure is the delegate's. */
	prepare(found: FoundAgent): Promise<Prepared>;
	/** Whether messages reach this agent on another machine: by hooks, which the user may not want, and which not every CLI takes there. */
	isSteered(agent: Delegate['record']['agent']): Promise<boolean>;
	/** The machine of a delegate that runs elsewhere. */
	executor(on: ExecutorId): Promise<Executor>;
	env: Readonly<Record<string, string | undefined>>;
	/** Gets the text for the log, without anything that a terminal would obey. */
	show(text: string): void;
	/** How many delegates of this folder run at once. */
	capacity(): Promise<Capacity>;
	/** Looks after the queue: others may begin, or hold a place though their runners have ended. */
	freed(): Promise<void>;
	/** Ends this process as a kill would: another one runs the delegate by now. */
	superseded(): void;
	/** Aborted when this process is told to end, by the signal that is the reason, or because its terminal is gone. */
	signal: AbortSignal;
}
