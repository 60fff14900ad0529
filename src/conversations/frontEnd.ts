import type { StopReason } from '@agentclientprotocol/sdk';
import { visible, visibleLine } from '../base/visible.ts';
import type { Disposable } from '../base/lifetime.ts';
import { agentWords } from './agentWords.ts';
import { AskedHere } from './askedHere.ts';
import { completed } from './completions.ts';
import type { Conversation } from './conversation.ts';
import { GuardedConversation, type Talk } from './guarded.ts';
import { CLEAR, commandsAmong, forAgent, LEAVING } from './ownCommands.ts';
import { PromptedLines } from './promptedLines.ts';
import { Pulls } from './pulls.ts';
import { styled, type Style } from './style.ts';
import { silentHookCalls, type SilentHookCalls } from './silentHooks.ts';
import { steeringOf, type Steering } from './steering.ts';
import { failureOf, READ, STOPPED, type Stopped } from './turnEnds.ts';
import { isSetting } from './typedSettings.ts';
import { UpdateLines } from './updateLines.ts';
import { WorkSign } from './workSign.ts';

/** Talks with an agent in this terminal, until its user ends it. */
export class FrontEnd {
	private readonly lines: PromptedLines;
	private readonly shown: UpdateLines;
	private conversation: Conversation | undefined;
	private readonly sign: WorkSign;
	private isWorking = false;
	/** The turn of the agent's that is not over: that of a prompt, or one of its own. */
	private atWork: Promise<StopReason> | undefined;
	private isBreaking = false;
	private silent: SilentHookCalls | undefined;
	private guarded: GuardedConversation | undefined;
	private readonly asked: AskedHere;
	/** Only for an agent that takes words in the middle of its turn. */
	private steering: Steering | undefined;
	private readonly left = new AbortController();
	/** Waits until a message is worth a turn. */
	private listening: Disposable | undefined;
	private readonly pulls = new Pulls(async () => this.guarded?.pulled());

	constructor(private readonly talk: Talk) {
		this.lines = new PromptedLines({
			stdin: process.stdin,
			prompt: '> ',
			completer: line => completed(line, talk.program.cwd, commandsAmong(this.shown.commands)),
			write: text => void process.stdout.write(`${text}\n`),
			interrupt: () => (this.isBusy && !this.isBreaking ? this.interrupt() : this.leave()),
			escape: () => this.interrupt(),
			// An idle agent ends with its input.
			ended: () => (this.isBusy || !this.guarded) && this.leave(),
			// Only what is typed here sets what an agent may do, and no program of anybody's.
			taken: line => isSetting(line, this.conversation, words => this.note(words)) || this.steer(line),
			below: () => this.sign.row,
			said: () => this.sign.changed(),
			keepsEarly: true,
		});
		this.asked = new AskedHere(() => {
			this.shown.flush();
			const { lines, guarded, silent, atWork } = this;
			return { agent: this.talk.acp, lines, guarded, silent, isAtWork: atWork !== undefined };
		});
		this.shown = new UpdateLines((line, style) => this.asked.say(() => this.say(line, style)));
		this.sign = new WorkSign(this.lines, this.shown);
	}

	/** @throws Error with the agent's own words if it does not begin */
	async run(): Promise<void> {
		const { program, resume, prompt, acp } = this.talk;
		for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => this.leave());
		if (prompt !== undefined) this.lines.put(prompt);
		try {
			const pull = acp.steering === 'none' ? undefined : acp.steering.method;
			this.conversation = await this.talk.begin(
				{ program, resume, mode: acp.modeIn?.(program.args), pull, stop: this.left.signal },
				{
					update: update => {
						if (this.atWork) this.guarded?.said(update);
						this.guarded?.used(update);
						this.shown.take(update);
						this.sign.changed();
						this.steering?.update(update);
						this.silent?.update(update);
					},
					ask: (question, over) => {
						this.shown.askedFor(question.toolCall.toolCallId);
						return this.asked.ask(question, over);
					},
					words: () => this.pulls.next(),
					began: turn => void this.begun(turn),
					note: text => this.note(text),
				},
			);
			const { conversation } = this;
			let guarded = await this.acquainted(conversation, resume !== undefined);
			let isGone = false;
			void conversation.closed.then(() => {
				isGone = !this.left.signal.aborted;
				this.lines.end();
			});
			for (;;) {
				const line = this.lines.next();
				this.listen(guarded);
				const text = await line;
				if (isGone) throw new Error(conversation.complaints() || 'The agent has ended.');
				if (text === undefined || this.left.signal.aborted || LEAVING.includes(text)) return;
				if (text === CLEAR && (await this.cleared(conversation))) {
					guarded = await this.acquainted(conversation, false);
					continue;
				}
				await this.turns(conversation, guarded, forAgent(text));
				for (let late; (late = await this.pulls.left()) !== undefined;)
					await this.turns(conversation, guarded, late);
			}
		} catch (error) {
			// Whoever leaves while the agent begins has ended it.
			if (!this.left.signal.aborted || this.conversation) throw error;
		} finally {
			this.sign.dispose();
			this.lines.close();
			this.listening?.dispose();
			await this.silent?.ended();
			await this.conversation?.close();
		}
	}

	/** The guard knows the session that has begun. */
	private async acquainted(conversation: Conversation, isResumed: boolean): Promise<GuardedConversation> {
		const guarded = await GuardedConversation.begin(this.talk, conversation, isResumed);
		this.guarded = guarded;
		const { acp, program } = this.talk;
		const place = { session: conversation.session, cwd: program.cwd, isResumed };
		const { give, pid } = conversation;
		const say = (words: string) => this.say(words, 'dim');
		const steering = give && steeringOf(async words => !this.isBreaking && give(words), guarded, say);
		this.steering = steering;
		this.silent =
			acp.silent === 'none' ? undefined : silentHookCalls(acp.silent, place, { guarded, pid, steering });
		await this.silent?.begun();
		return guarded;
	}

	/** Ends the session, and begins another. @returns `false` where the agent's own command does that */
	private async cleared(conversation: Conversation): Promise<boolean> {
		if (!conversation.clear) return false;
		this.listening?.dispose();
		this.listening = undefined;
		await this.silent?.ended();
		try {
			await conversation.clear();
			this.note('a new conversation');
		} catch (error) {
			this.tell({ error: agentWords(error) });
		}
		return true;
	}

	/** The terminal is gone, and the agent ends with it. */
	private leave(): void {
		if (this.left.signal.aborted) return;
		this.left.abort();
		this.lines.drop();
		void this.conversation?.close();
	}

	/** A turn, and those that go on with what is handed over at its end. */
	private async turns(conversation: Conversation, guarded: GuardedConversation, text: string): Promise<void> {
		let next = await this.turn(conversation, guarded, text, false);
		while (next !== undefined && !this.left.signal.aborted) {
			this.say(next, 'dim');
			next = await this.turn(conversation, guarded, next, true);
		}
	}

	/** @returns words to go on with */
	private async turn(
		conversation: Conversation,
		guarded: GuardedConversation,
		text: string,
		isContinued: boolean,
	): Promise<string | undefined> {
		this.isWorking = true;
		this.sign.begin();
		this.asked.isDenied = this.isBreaking = false;
		if (isContinued) guarded.owe(text);
		const prompt = isContinued ? text : await guarded.prompted(text, words => this.say(words, 'dim'));
		const isSent = prompt !== undefined && !this.isBreaking;
		const stopped = isSent ? await this.sent(conversation, guarded, prompt) : 'cancelled';
		const isRead = typeof stopped === 'string' && READ.has(stopped);
		if (isRead) guarded.answered();
		const { said } = this.shown;
		this.shown.endTurn();
		if (prompt !== undefined) this.tell(stopped);
		if (!isSent && prompt !== undefined) this.say(`Not sent: ${text}`, 'dim');
		guarded.over(isRead);
		const next = await this.ended(guarded, stopped, { said, isContinued });
		this.isWorking = false;
		if (!this.isBusy) this.sign.dispose();
		return next;
	}

	/** The agent's part of a turn. What came too late to be a part of it is the next prompt. */
	private async sent(conversation: Conversation, guarded: GuardedConversation, prompt: string): Promise<Stopped> {
		this.steering?.begin();
		const stopped = await this.over(conversation.prompt(prompt));
		await this.silent?.kept;
		const late = await this.steering?.end();
		if (late === undefined || stopped !== 'end_turn' || this.isBreaking) return stopped;
		guarded.answered();
		guarded.owe(late);
		this.say(late, 'dim');
		return this.sent(conversation, guarded, late);
	}

	/** The agent has begun a turn by itself: it was woken, or something that it waited for has happened. */
	private async begun(turn: Promise<StopReason>): Promise<void> {
		this.note('the agent goes on by itself');
		this.isBreaking = false;
		this.sign.begin();
		const stopped = await this.over(turn);
		this.shown.endTurn();
		if (!this.isBusy) this.sign.dispose();
		this.tell(stopped);
	}

	/** Until a turn of the agent's is over. Its next one may have begun before anybody hears of the end. */
	private async over(turn: Promise<StopReason>): Promise<Stopped> {
		this.atWork = turn;
		try {
			return await turn;
		} catch (error) {
			return { error: agentWords(error) };
		} finally {
			if (this.atWork === turn) this.atWork = undefined;
		}
	}

	private tell(stopped: Stopped): void {
		if (typeof stopped !== 'string') this.say(`✗ ${stopped.error}`, 'red');
		else if (STOPPED[stopped] !== undefined) this.say(`— ${STOPPED[stopped]} —`, 'dim');
	}

	/** A line that is typed while the agent works goes to it at once, if it takes that. */
	private steer(line: string): boolean {
		if (!this.atWork || this.isBreaking || line.startsWith('/')) return false;
		if (this.conversation?.steer(line) !== true) return false;
		this.note('sent: the agent reads it before its next step');
		return true;
	}

	/** Tells the guard that a turn is over. @returns words to go on with */
	private async ended(
		guarded: GuardedConversation,
		stopped: Stopped,
		turn: { said: string; isContinued: boolean },
	): Promise<string | undefined> {
		const { brokenOff } = this.talk.acp;
		if (stopped === 'end_turn' && !(this.asked.isDenied && brokenOff !== 'none' && brokenOff.isAfterNo)) {
			const next = await guarded.stopped(turn);
			if (next === undefined || !this.isBreaking) return next;
			this.tell('cancelled');
			// They were not sent.
			guarded.over(true);
		}
		const isByUser = this.isBreaking || this.left.signal.aborted || stopped === 'cancelled';
		await guarded.brokenOff(isByUser ? undefined : failureOf(stopped));
		return undefined;
	}

	/** A message begins the next turn while the agent is idle. A half-typed line stays. */
	private listen(guarded: GuardedConversation): void {
		if (this.listening || this.left.signal.aborted) return;
		this.listening = guarded.wait(prompt => {
			this.listening = undefined;
			// While it works, it gets the message by its hooks.
			if (!this.isWorking) this.lines.put(prompt);
		});
	}

	private get isBusy(): boolean {
		return this.isWorking || this.atWork !== undefined;
	}

	/** Breaks the turn off. */
	private interrupt(): void {
		if (!this.isBusy) return;
		this.isBreaking = true;
		if (this.atWork) void this.conversation?.cancel().catch(() => undefined);
	}

	/** One line: nothing that an agent has named begins another. */
	private note(text: string): void {
		this.shown.flush();
		this.asked.say(() => this.say(`— ${visibleLine(text, Infinity)} —`, 'dim'));
	}

	private say(line: string, style?: Style): void {
		this.lines.say(styled(visible(line), style));
	}
}
