import * as z from 'zod/mini';
import { Emitter } from '../../base/event.ts';

/** Where VS Code keeps something of one workspace. */
interface Memory {
	get(key: string): unknown;
	update(key: string, value: unknown): Thenable<void>;
}

const KEY = 'nancy.seenStops';

/** How many workers are remembered: those that stopped last. Nobody forgets deleted ones otherwise. */
const MOST = 500;

const Stored = z.object({
	/** Stops before Nancy's first use in this workspace are no news. UTC, ISO 8601. */
	since: z.string(),
	/** When the last turn ended that the user has seen, by worker. UTC, ISO 8601. */
	seen: z.record(z.string(), z.string()),
});

/** The stops of agents that the user has seen. A reload forgets none. */
export class SeenStops {
	private readonly _onDidChange = new Emitter<void>();
	readonly onDidChange = this._onDidChange.event;
	private readonly since: string;
	private seen: Readonly<Record<string, string>>;

	constructor(
		private readonly memory: Memory,
		now: () => number = Date.now,
	) {
		const stored = Stored.safeParse(memory.get(KEY));
		this.since = stored.data?.since ?? new Date(now()).toISOString();
		this.seen = stored.data?.seen ?? {};
		if (!stored.success) this.store();
	}

	/** @param at when the worker's last turn ended. UTC, ISO 8601 */
	isNew(worker: string, at: string): boolean {
		return at > (this.seen[worker] ?? this.since);
	}

	see(worker: string, at: string): void {
		if (!this.isNew(worker, at)) return;
		const newest = Object.entries({ ...this.seen, [worker]: at }).toSorted(([, a], [, b]) => (a > b ? -1 : 1));
		this.seen = Object.fromEntries(newest.slice(0, MOST));
		this.store();
		this._onDidChange.fire();
	}

	private store(): void {
		void this.memory.update(KEY, { since: this.since, seen: this.seen } satisfies z.infer<typeof Stored>);
	}
}
