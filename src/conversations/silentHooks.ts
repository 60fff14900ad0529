import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { DENIED, type SilentHook, type SilentHooks, type ToolCall } from '../core/driver/acp.ts';
import type { GuardedConversation } from './guarded.ts';
import { knownCall } from './knownCall.ts';
import type { Steering } from './steering.ts';

type Place = ConstructorParameters<typeof SilentHookCalls>[1];

/**
 * @param pid the agent's process: its end is told, too
 * @param steering of an agent that takes words in the middle of its turn
 */
export function silentHookCalls(
	hooks: SilentHooks,
	place: Place,
	{
		guarded,
		pid,
		steering,
	}: { guarded: GuardedConversation; pid: number | undefined; steering: Steering | undefined },
): SilentHookCalls {
	return new SilentHookCalls(hooks, place, async ({ event, slot, payload }) => {
		const isTaken = slot !== 'boundary' || steering?.isBetweenSteps === true;
		const printed = await guarded.call(event, isTaken ? slot : 'report', payload, pid)?.printed;
		const words = slot === 'boundary' && guarded.wordsIn(printed ?? '');
		if (words) steering?.give(words);
	});
}

const RAN = ['completed', 'failed'];
const BEGINS = 'in_progress';

/** Calls the guard where the agent, which is talked with, runs no hook of its own. */
export class SilentHookCalls {
	/** The calls that are not over, by their ids. */
	private readonly calls = new Map<string, ToolCall>();
	/** Those of them whose beginning was told. */
	private readonly running = new Set<string>();
	/** Over, although their agent may say so once more. */
	private readonly refused = new Set<string>();
	/** One after the other: Nancy takes events in the order in which they are kept. */
	private last: Promise<unknown> = Promise.resolve();

	/** @param call is fulfilled once the guard has kept the event */
	constructor(
		private readonly hooks: SilentHooks,
		private readonly place: { readonly session: string; readonly cwd: string; readonly isResumed: boolean },
		private readonly call: (hook: SilentHook) => Promise<unknown>,
	) {}

	/** Fulfilled once Nancy knows the session. */
	begun(): Promise<unknown> {
		return this.keep(this.hooks.begun(this.place.session, this.place.cwd, this.place.isResumed));
	}

	/** Fulfilled once everything is kept. */
	ended(): Promise<unknown> {
		return this.keep(this.hooks.ended(this.place.session, this.place.cwd));
	}

	/** Fulfilled once everything so far is kept. */
	get kept(): Promise<unknown> {
		return this.last;
	}

	asked({ toolCall }: { toolCall: ToolCall }): void {
		void this.keep(this.hooks.asked(this.known(toolCall), this.place.session, this.place.cwd));
	}

	/** The agent tells nothing of a call that it was allowed, until that is over. */
	allowed({ toolCall }: { toolCall: ToolCall }): void {
		this.running.delete(toolCall.toolCallId);
		this.told({ ...toolCall, status: BEGINS });
	}

	/** Otherwise the agent would seem to ask until something else happens. */
	denied({ toolCall }: { toolCall: ToolCall }): void {
		this.told({ ...toolCall, status: DENIED });
	}

	update(update: SessionUpdate): void {
		if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') this.told(update);
	}

	/** Some agents say again and again that a call runs, with what it prints, and some do not before it is over. */
	private told(said: ToolCall): void {
		const call = this.known(said);
		const { toolCallId: id, status } = call;
		const isRunning = this.running.has(id);
		if (this.refused.has(id) || (status === BEGINS && isRunning)) return;
		const hasRun = RAN.includes(status ?? '');
		if (hasRun && !isRunning) this.tell({ ...call, status: BEGINS });
		this.tell(call);
		if (status === BEGINS) this.running.add(id);
		if (status === DENIED) this.refused.add(id);
		if (!hasRun && status !== DENIED) return;
		this.calls.delete(id);
		this.running.delete(id);
	}

	private tell(call: ToolCall): void {
		const hook = this.hooks.told(call, this.place.session, this.place.cwd);
		if (hook) void this.keep(hook);
	}

	/** With what was said of the call before. */
	private known(said: ToolCall): ToolCall {
		const call = knownCall(said, this.calls.get(said.toolCallId));
		this.calls.set(said.toolCallId, call);
		return call;
	}

	private keep(hook: SilentHook): Promise<unknown> {
		this.last = this.last.then(() => this.call(hook)).catch(() => undefined);
		return this.last;
	}
}
