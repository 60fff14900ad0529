import { setTimeout as sleep } from 'node:timers/promises';

/** How long a pull is answered late, in milliseconds: Qwen Code 0.24.4 waits for 2 s, and pulls no more after three late answers. */
const PULL_MS = 1500;

/** Words for an agent that asks for some between two steps. */
export class Pulls {
	/** Words that the guard hands over, and the agent has not got yet. */
	private pulling: Promise<string | undefined> | undefined;

	/** @param pulled asks the guard */
	constructor(private readonly pulled: () => Promise<string | undefined>) {}

	/** What the agent waits too briefly for goes with its next pull, or is its next prompt. */
	async next(): Promise<string | undefined> {
		this.pulling ??= this.pulled();
		const text = await Promise.race([this.pulling, sleep(PULL_MS, 'late' as const, { ref: false })]);
		if (text === 'late') return undefined;
		this.pulling = undefined;
		return text;
	}

	/** What no pull has got. */
	async left(): Promise<string | undefined> {
		const late = await this.pulling;
		this.pulling = undefined;
		return late;
	}
}
