import * as z from 'zod/mini';
import { callGuard, type BetweenPlace, type CalledGuard } from '../../core/driver/calledGuard.ts';
import { parseLine } from '../../core/files/jsonLines.ts';
import { ASKS, Decision } from './asking.ts';
import { ID } from './events.ts';

const RequestId = z.union([z.string(), z.number()]);
type RequestId = z.infer<typeof RequestId>;

const Message = z.looseObject({
	id: z.optional(RequestId),
	method: z.optional(z.string()),
	params: z.optional(z.unknown()),
	result: z.optional(z.unknown()),
});

const Status = z.looseObject({ threadId: z.string(), status: z.looseObject({ type: z.string() }) });
const Joined = z.looseObject({
	thread: z.looseObject({ id: z.string(), parentThreadId: z.optional(z.nullable(z.string())) }),
	sandbox: z.optional(z.looseObject({ writableRoots: z._default(z.array(z.string()), []) })),
});
const Asked = z.looseObject({ threadId: z.string(), itemId: z.string() });
const Resolved = z.looseObject({ threadId: z.string(), requestId: RequestId });
const Ended = z.looseObject({
	threadId: z.string(),
	item: z.looseObject({ id: z.string(), status: z.optional(z.string()) }),
});

/** How deep threads are followed to the agent's own. */
const DEEPEST = 8;

/** How long after the end of a request its item may be told to be declined, in milliseconds. It comes at once. */
const DECLINED_MS = 1000;

/** A request that a guard holds. */
interface Held {
	readonly threadId: string;
	readonly itemId: string;
	guard?: CalledGuard;
	/** The CLI has an answer, and not from here. */
	isOver: boolean;
	end?: NodeJS.Timeout;
}

export interface HolderPlace extends BetweenPlace {
	/** Process of the app server. */
	readonly server: number;
}

/**
 * A second client of the app server, beside the terminal. It has a guard hold each command that waits for a Yes, and sends what a person has
 * answered. The terminal's own prompt stays open: the server takes the first answer, and tells both clients that the request is over. Without
 * an answer this client says nothing.
 */
export class Holder {
	private readonly parents = new Map<string, string>();
	/** The threads whose requests come here, with the folders in which their agents write unasked. */
	private readonly joined = new Map<string, readonly string[]>();
	/** Requests of threads that have not joined: where their agents write is not known yet. */
	private readonly early = new Map<RequestId, { threadId: string; params: unknown }>();
	private readonly held = new Map<RequestId, Held>();
	/** Over, and not yet known how. */
	private readonly ending = new Set<Held>();
	private last = 0;

	/** @param send one message to the server */
	constructor(
		private readonly place: HolderPlace,
		private readonly send: (message: object) => void,
	) {}

	begin(): void {
		const clientInfo = { name: 'nancy', title: 'Nancy', version: '1' };
		this.request('initialize', { clientInfo, capabilities: { experimentalApi: true } });
		this.send({ method: 'initialized' });
	}

	/** Takes what the server says. What has another form is none of its messages. */
	take(line: string): void {
		const { id, method, params, result } = Message.parse(JSON.parse(line));
		switch (method) {
			case undefined:
				return this.noteJoined(result);
			case 'thread/status/changed': {
				const { threadId, status } = Status.parse(params);
				for (const held of this.ending) if (held.threadId === threadId) this.letGo(held, 'SIGUSR2');
				// A thread can be joined once it has a record, and has one with its first turn.
				if (status.type === 'active' && !this.joined.has(threadId))
					this.request('thread/resume', { threadId, excludeTurns: true });
				return;
			}
			case 'item/commandExecution/requestApproval':
				if (id !== undefined && !this.held.has(id)) this.takeRequest(id, params);
				return;
			case 'serverRequest/resolved':
				return this.resolved(Resolved.parse(params).requestId);
			case 'item/completed': {
				const { threadId, item } = Ended.parse(params);
				if (item.status !== 'declined') return;
				for (const held of this.ending)
					if (held.threadId === threadId && held.itemId === item.id) this.letGo(held, 'SIGTERM');
				return;
			}
		}
	}

	/** The server is gone, or this client has lost it: the terminal's own prompt decides. */
	end(): void {
		for (const held of [...this.held.values(), ...this.ending]) this.letGo(held, 'SIGKILL');
		this.held.clear();
		this.early.clear();
	}

	private request(method: string, params: object): void {
		this.send({ id: `nancy-${++this.last}`, method, params });
	}

	private noteJoined(result: unknown): void {
		const joined = Joined.safeParse(result);
		if (!joined.success) return;
		const { thread, sandbox } = joined.data;
		this.joined.set(thread.id, sandbox?.writableRoots ?? []);
		if (thread.parentThreadId) this.parents.set(thread.id, thread.parentThreadId);
		for (const [id, { threadId, params }] of this.early) if (threadId === thread.id) this.takeRequest(id, params);
	}

	/** Holds a request once its thread has joined. One of a thread that never joins stays in the terminal. */
	private takeRequest(id: RequestId, params: unknown): void {
		const { threadId, itemId } = Asked.parse(params);
		const folders = this.joined.get(threadId);
		if (!folders) {
			this.early.set(id, { threadId, params });
			return;
		}
		this.early.delete(id);
		void this.hold(id, { threadId, itemId, folders, params }).catch(() => undefined);
	}

	private async hold(
		id: RequestId,
		{ threadId, itemId, folders, params }: z.infer<typeof Asked> & { folders: readonly string[]; params: unknown },
	): Promise<void> {
		const held: Held = { threadId, itemId, isOver: false };
		this.held.set(id, held);
		const session = this.rootOf(threadId);
		const asked = {
			session,
			...(session !== threadId && { subagent: threadId }),
			folders,
			request: params,
		};
		const caller = { driver: ID, event: ASKS, slot: 'ask', session, agent: this.place.server } as const;
		held.guard = callGuard(this.place, caller, asked);
		const answer = Decision.safeParse(parseLine(await held.guard.printed));
		if (held.isOver) return;
		this.held.delete(id);
		// To the request that this very guard held, whatever it printed.
		if (answer.success) this.send({ id, result: { decision: answer.data.decision } });
	}

	private resolved(id: RequestId): void {
		this.early.delete(id);
		const held = this.held.get(id);
		if (!held) return;
		this.held.delete(id);
		held.isOver = true;
		this.ending.add(held);
		held.end = setTimeout(() => this.letGo(held, 'SIGUSR2'), DECLINED_MS);
	}

	/** Ends the guard of a request. The signal tells it how: see core/driver/asking. */
	private letGo(held: Held, signal: NodeJS.Signals): void {
		clearTimeout(held.end);
		this.ending.delete(held);
		held.isOver = true;
		held.guard?.end(signal);
	}

	/** The agent's own thread, of which this one is a subagent's. */
	private rootOf(threadId: string): string {
		let root = threadId;
		for (let depth = 0; depth < DEEPEST; depth++) root = this.parents.get(root) ?? root;
		return root;
	}
}
