import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { dataFolder } from '../base/folders.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { SilentHook, TalkedAgent, TurnHooks } from '../core/driver/acp.ts';
import { callGuard, WAITS, type BetweenPlace, type CalledGuard, type GuardCall } from '../core/driver/calledGuard.ts';
import { OwnFolder } from '../core/files/ownFolder.ts';
import { ConversationRecord } from '../core/sessions/conversationRecord.ts';
import { isWake } from '../drivers/bell.ts';
import { ConversationUsage } from '../protocol/conversationRecord.ts';
import { SessionId, type DriverId } from '../protocol/names.ts';
import type { Beginning, Conversation, Listener, Program } from './conversation.ts';

/** The agent that the guard is called for. */
export interface GuardedTalk {
	readonly driver: DriverId;
	readonly acp: TalkedAgent;
	readonly place: BetweenPlace;
	readonly program: { readonly cwd: string };
}

/** What a terminal begins with. */
export interface Talk extends GuardedTalk {
	readonly program: Program;
	/** Starts the agent. @throws Error with its own words if it does not begin */
	begin(beginning: Beginning, listener: Listener): Promise<Conversation>;
	/** The first prompt. */
	readonly prompt: string | undefined;
	/** The session to go on with. */
	readonly resume: SessionId | undefined;
}

/** After a wait that has failed, in milliseconds. */
const WAIT_AGAIN_MS = 30_000;

/** What an agent says that has read its prompt. */
const REPLIES: ReadonlySet<string> = new Set(['agent_message_chunk', 'agent_thought_chunk', 'plan', 'tool_call']);

/** What the guard is told of a conversation, and what it hands over. */
export class GuardedConversation {
	/** After a turn that did not end by itself, an agent may still say things of it. */
	private isOfThisTurn = true;
	/** Given to the agent in the middle of the turn. What it says next may be older. */
	private given: string[] = [];
	private usage: ConversationUsage | undefined;

	private constructor(
		private readonly talk: GuardedTalk,
		private readonly conversation: { readonly session: string; readonly pid: number | undefined },
		/** The record of an agent to which words are handed over here. */
		private readonly record: ConversationRecord | undefined,
	) {}

	/** @throws NancyError `bad-file` if its record would not be the user's alone */
	static async begin(
		talk: GuardedTalk,
		conversation: { readonly session: string; readonly pid: number | undefined },
		isResumed: boolean,
	): Promise<GuardedConversation> {
		const own = new OwnFolder(dataFolder(), talk.place.workspaceFolder);
		const record =
			talk.acp.turns === 'none'
				? undefined
				: await ConversationRecord.begin(own, SessionId.parse(conversation.session));
		const guarded = new GuardedConversation(talk, conversation, record);
		if (isResumed) await guarded.resumed();
		return guarded;
	}

	/** Fulfilled once Nancy knows that the session goes on. */
	private async resumed(): Promise<void> {
		const hook = this.talk.acp.resumed?.(this.conversation.session, this.talk.program.cwd);
		if (hook) await this.call(hook.event, hook.slot, hook.payload)?.printed;
	}

	/** @returns `undefined` if the agent is gone, or no guard can be started */
	call(
		event: string,
		slot: GuardCall['slot'],
		payload: object,
		agent = this.conversation.pid,
	): CalledGuard | undefined {
		if (agent === undefined) return undefined;
		const { driver, place } = this.talk;
		const { session } = this.conversation;
		const told = this.record ? { ...payload, record: this.record.file } : payload;
		try {
			return callGuard(place, { driver, event, slot, session, agent }, told);
		} catch {
			// No process can be started: this terminal remains.
			return undefined;
		}
	}

	/** The prompt with what is handed over; `undefined` for one that says nothing without. */
	async prompted(text: string, say: (words: string) => void): Promise<string | undefined> {
		const { turns } = this.talk.acp;
		if (turns === 'none') return text;
		const told = turns.prompted(text, this.conversation.session, this.talk.program.cwd);
		// The agent takes what follows its own command for that command's arguments, or drops it.
		if (text.startsWith('/')) {
			await this.call(told.event, 'report', told.payload)?.printed;
			return text;
		}
		const words = await this.handedOver(turns, told);
		if (words === undefined) return turns.saysNothing(text) ? undefined : text;
		this.owe(words);
		say(words);
		return `${text}\n\n${words}`;
	}

	/** What is handed over at the end of a turn. */
	async stopped(turn: { said: string; isContinued: boolean }): Promise<string | undefined> {
		const { turns } = this.talk.acp;
		if (turns === 'none') return undefined;
		return this.handedOver(turns, turns.stopped(turn, this.conversation.session, this.talk.program.cwd));
	}

	/** The agent is idle, and no end of a turn has said so. @param failure why its turn failed, unless its user broke it off */
	async brokenOff(failure?: string): Promise<void> {
		const { brokenOff } = this.talk.acp;
		if (brokenOff === 'none') return;
		const payload = brokenOff.payload(this.conversation.session, this.talk.program.cwd, failure);
		await this.call(brokenOff.event, 'end', payload)?.printed;
	}

	/** Words for an agent that asks for them while it works. */
	async pulled(): Promise<string | undefined> {
		const { steering } = this.talk.acp;
		if (steering === 'none') return undefined;
		const payload = steering.payload(this.conversation.session, this.talk.program.cwd);
		const guard = this.call(steering.event, 'boundary', payload);
		return guard && steering.words(await guard.printed);
	}

	/**
	 * Waits until a message is worth a turn, and begins again should the guard fail, as on a full disk. Then `woken` gets the prompt, once.
	 * @returns `undefined` for an agent that is woken otherwise
	 */
	wait(woken: (prompt: string) => void): Disposable | undefined {
		if (this.talk.acp.wakesItself) return undefined;
		let isOver = false;
		let guard: CalledGuard | undefined;
		let again: NodeJS.Timeout | undefined;
		const begin = () => {
			guard = this.call(WAITS, 'wait', {});
			void (guard?.woken ?? Promise.resolve()).then(words => {
				if (isOver) return;
				if (words !== undefined && isWake(words)) woken(words.trim());
				else again = setTimeout(begin, WAIT_AGAIN_MS).unref();
			});
		};
		begin();
		const dispose = () => {
			isOver = true;
			clearTimeout(again);
			guard?.end('SIGTERM');
		};
		return { dispose };
	}

	/** The words of what the guard has printed for an agent that is talked with; `undefined` if there are none. */
	wordsIn(printed: string): string | undefined {
		const { turns } = this.talk.acp;
		return turns === 'none' ? undefined : turns.words(printed);
	}

	/** These words are on their way to the agent. */
	owe(words: string): void {
		this.record?.owe(words);
	}

	/** The agent has these words in the middle of its turn. */
	gave(words: string): void {
		this.given.push(words);
	}

	/** A step of the turn is over: what the agent says now, it says after all that it was given. */
	stepped(): void {
		for (const words of this.given.splice(0)) this.owe(words);
	}

	/** The agent says something. */
	said(update: SessionUpdate): void {
		if (this.isOfThisTurn && REPLIES.has(update.sessionUpdate)) this.record?.answered();
	}

	/** What it has used is known at any time. */
	used(update: SessionUpdate): void {
		if (update.sessionUpdate !== 'usage_update') return;
		const { used, size, cost } = update;
		const usage = { used, size, costUsd: cost?.currency === 'USD' && cost.amount >= 0 ? cost.amount : undefined };
		if (ConversationUsage.safeParse(usage).success) this.usage = usage;
	}

	/** The agent has ended a turn by itself. */
	answered(): void {
		this.stepped();
		this.record?.answered();
	}

	/** Words that nothing has answered come again. @param isBySelf the agent has ended the turn by itself */
	over(isBySelf: boolean): void {
		this.isOfThisTurn = isBySelf;
		this.given = [];
		this.record?.over(this.usage);
	}

	private async handedOver(
		turns: TurnHooks,
		{ event, slot, payload }: SilentHook<'turn' | 'end'>,
	): Promise<string | undefined> {
		return turns.words((await this.call(event, slot, payload)?.printed) ?? '');
	}
}
