import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { GuardedConversation } from './guarded.ts';

/** How long an agent may take to say whether words are a part of its turn, in milliseconds. It knows at once. */
const ANSWER_MS = 10_000;

export interface SteeringOptions {
	/** Hands words to the turn that runs. @returns whether they are a part of it; otherwise it is over */
	readonly steer: (words: string) => Promise<boolean>;
	/** The agent has these words. */
	readonly taken: (words: string) => void;
	/** No call runs any more: the agent asks its model anew. */
	readonly stepped: () => void;
}

/** @param say shows words that the agent has */
export function steeringOf(
	give: SteeringOptions['steer'],
	guarded: GuardedConversation,
	say: (words: string) => void,
): Steering {
	return new Steering({
		steer: give,
		taken: words => {
			guarded.gave(words);
			say(words);
		},
		stepped: () => guarded.stepped(),
	});
}

/**
 * Hands words to an agent between two steps of its turn. While a call runs they would change what becomes of it: Claude's adapter takes it
 * into the background.
 */
export class Steering {
	/** The calls of this turn that are not over. */
	private readonly open = new Set<string>();
	/** What the agent has not got yet. */
	private readonly waiting: string[] = [];
	private sending = Promise.resolve();
	private isTurn = false;

	constructor(private readonly options: SteeringOptions) {}

	/** Whether words may be given now. */
	get isBetweenSteps(): boolean {
		return this.isTurn && this.open.size === 0;
	}

	/** A turn begins. */
	begin(): void {
		this.open.clear();
		this.isTurn = true;
	}

	update(update: SessionUpdate): void {
		if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
		const { toolCallId, status } = update;
		// No step: Claude's adapter (0.100.0) may tell more of a call when that is over.
		if (update.sessionUpdate === 'tool_call_update' && !status) return;
		if (status !== 'completed' && status !== 'failed') {
			this.open.add(toolCallId);
			return;
		}
		this.open.delete(toolCallId);
		if (!this.isBetweenSteps) return;
		this.options.stepped();
		this.send();
	}

	/** These words are for the agent. */
	give(words: string): void {
		this.waiting.push(words);
		this.send();
	}

	/** The turn is over. @returns words that have not become a part of it */
	async end(): Promise<string | undefined> {
		this.isTurn = false;
		await this.sending;
		return this.waiting.splice(0).join('\n\n') || undefined;
	}

	private send(): void {
		this.sending = this.sending.then(() => this.sendNow());
	}

	private async sendNow(): Promise<void> {
		if (this.waiting.length === 0 || !this.isBetweenSteps) return;
		const words = this.waiting.splice(0).join('\n\n');
		const steered = this.options.steer(words).catch(() => false);
		const isTaken = await Promise.race([steered, sleep(ANSWER_MS, 'unknown' as const, { ref: false })]);
		if (isTaken === false) this.waiting.unshift(words);
		// Nobody has noted that the agent has read what is unknown. So it comes again.
		if (isTaken === true) this.options.taken(words);
	}
}
