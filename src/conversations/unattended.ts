import { setImmediate as soon } from 'node:timers/promises';
import { visibleLine } from '../base/visible.ts';
import type { TalkLine } from '../drivers/toldTalk.ts';
import { ASK_ME } from '../drivers/askMe.ts';
import { SessionId } from '../protocol/names.ts';
import { agentWords } from './agentWords.ts';
import { isYes, type Answered, type Asked, type Conversation } from './conversation.ts';
import { GuardedConversation, type Talk } from './guarded.ts';
import { Pulls } from './pulls.ts';
import { silentHookCalls, type SilentHookCalls } from './silentHooks.ts';
import { steeringOf, type Steering } from './steering.ts';
import { ToldLines } from './toldLines.ts';

/** Talks with the agent of a delegate: one prompt, and what is handed over to it, until it has answered. Nobody is there. */
export class Unattended {
	private readonly left = new AbortController();
	private readonly said: ToldLines;
	private guarded: GuardedConversation | undefined;
	private silent: SilentHookCalls | undefined;
	private steering: Steering | undefined;
	private readonly pulls = new Pulls(async () => this.guarded?.pulled());
	/** What was asked last, and not allowed. */
	private denied: string | undefined;

	/** @param tell writes one line for the runner */
	constructor(
		private readonly talk: Talk,
		private readonly permissions: string,
		private readonly tell: (line: TalkLine) => void,
	) {
		this.said = new ToldLines(tell, call => talk.acp.toolOf(call) ?? 'a tool');
	}

	/** Tells the answer, or why there is none. */
	async run(prompt: string): Promise<void> {
		for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => this.left.abort());
		let conversation: Conversation | undefined;
		try {
			conversation = await this.begun();
			const failure = await this.turns(conversation, prompt);
			this.tell({ is: 'result', text: this.said.last, ...(failure !== undefined && { failure }) });
		} catch (error) {
			this.tell({ is: 'result', text: this.said.last, failure: await whyBroken(conversation, error) });
		} finally {
			await this.silent?.ended();
			await conversation?.close();
		}
	}

	private async begun(): Promise<Conversation> {
		const { program, acp } = this.talk;
		const pull = acp.steering === 'none' ? undefined : acp.steering.method;
		const conversation = await this.talk.begin(
			{ program, resume: undefined, pull, stop: this.left.signal },
			{
				update: update => {
					this.guarded?.said(update);
					this.guarded?.used(update);
					this.said.take(update);
					this.steering?.update(update);
					this.silent?.update(update);
				},
				ask: (question, over) => this.ask(question, over),
				words: () => this.pulled(),
				began: () => undefined,
				note: () => undefined,
			},
		);
		const { session, give, pid } = conversation;
		this.tell({ is: 'session', session: SessionId.parse(session) });
		const guarded = (this.guarded = await GuardedConversation.begin(this.talk, conversation, false));
		this.steering = give && steeringOf(give, guarded, words => this.said.handedOver(words));
		const place = { session, cwd: program.cwd, isResumed: false };
		if (acp.silent !== 'none')
			this.silent = silentHookCalls(acp.silent, place, { guarded, pid, steering: this.steering });
		// Its questions name its delegate once Nancy knows the session.
		await this.silent?.begun();
		return conversation;
	}

	/** The prompt's turn, and those that go on with what is handed over at its end. @returns why the agent has not done its work */
	private async turns(conversation: Conversation, prompt: string): Promise<string | undefined> {
		const { guarded } = this;
		const show = (words: string) => this.said.handedOver(words);
		let text = (await guarded?.prompted(prompt, show)) ?? prompt;
		for (let isContinued = false; ; isContinued = true) {
			this.said.begin();
			this.denied = undefined;
			this.steering?.begin();
			const stopped = await conversation.prompt(text);
			await this.silent?.kept;
			const late = (await this.steering?.end()) ?? (await this.pulls.left());
			this.said.end();
			if (stopped !== 'end_turn') {
				guarded?.over(false);
				await guarded?.brokenOff();
				return this.whyDenied() ?? `the agent has ended its turn: ${visibleLine(stopped)}`;
			}
			guarded?.answered();
			// Before anything is handed over for the next turn: a turn that is over without a word of it would say that nobody reads it.
			if (late === undefined) guarded?.over(true);
			const next = late ?? (await guarded?.stopped({ said: this.said.last, isContinued }));
			// Some say nothing more after a No. That is no answer.
			if (next === undefined) return this.said.last === '' ? this.whyDenied() : undefined;
			guarded?.owe(next);
			show(next);
			text = next;
		}
	}

	/** Words for an agent that asks for some between two steps. */
	private async pulled(): Promise<string | undefined> {
		const words = await this.pulls.next();
		if (words !== undefined) this.said.handedOver(words);
		return words;
	}

	private whyDenied(): string | undefined {
		return this.denied === undefined ? undefined : `it has ended its turn after a No to: ${this.denied}`;
	}

	/** At the desk where the permissions say so. Otherwise, and without an answer, it is a No. */
	private async ask(asked: Asked, over: AbortSignal): Promise<Answered | undefined> {
		this.silent?.asked(asked);
		const answer = this.permissions === ASK_ME ? await this.atDesk(asked, over) : undefined;
		if (isYes(answer)) {
			this.silent?.allowed(asked);
			return answer;
		}
		this.silent?.denied(asked);
		const { toolCall, options } = asked;
		this.denied = this.said.denied(toolCall);
		const no = options.find(({ kind }) => kind === 'reject_once');
		return answer ?? (no && { option: no });
	}

	/** A person's answer. @returns `undefined` without one */
	private async atDesk(asked: Asked, over: AbortSignal): Promise<Answered | undefined> {
		const guard = this.guarded?.call(asked.held.event, 'ask', asked.held.payload);
		if (!guard) return undefined;
		const end = () => guard.end('SIGHUP');
		over.addEventListener('abort', end);
		if (over.aborted) end();
		const answer = asked.answerIn(await guard.printed);
		over.removeEventListener('abort', end);
		return answer === 'cancelled' || over.aborted ? undefined : answer;
	}
}

/** An agent that has ended may have said why. The protocol's library says only that nobody is there. */
async function whyBroken(conversation: Conversation | undefined, error: unknown): Promise<string> {
	// Whoever waits for the answer hears of the end first.
	const isGone = await Promise.race([conversation?.closed.then(() => true), soon(false)]);
	if (isGone !== true) return agentWords(error);
	return ['its agent has ended', conversation?.complaints()].filter(Boolean).join(': ');
}
