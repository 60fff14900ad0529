import type { RequestPermissionRequest, RequestPermissionResponse, StopReason } from '@agentclientprotocol/sdk';
import { errorText } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import type { CalledGuard } from '../core/driver/calledGuard.ts';
import type { SessionId } from '../protocol/names.ts';
import { AcpConversation, CANCELLED, type Program } from './acpConversation.ts';
import { GuardedConversation, type GuardedTalk } from './guarded.ts';
import { isYes, PermissionQuestion } from './permission.ts';
import { PromptedLines } from './promptedLines.ts';
import { Pulls } from './pulls.ts';
import { styled, type Style } from './style.ts';
import { SilentHookCalls } from './silentHooks.ts';
import { Steering } from './steering.ts';
import { UpdateLines } from './updateLines.ts';

export interface Talk extends GuardedTalk {
	readonly program: Program;
	/** The first prompt. */
	readonly prompt: string | undefined;
	/** The session to go on with. */
	readonly resume: SessionId | undefined;
}

/** What a terminal says of how a turn ended; nothing of one that ended by itself. */
const STOPPED: Readonly<Record<string, string>> = {
	cancelled: '— interrupted —',
	max_tokens: '— the answer reached its limit of tokens —',
	max_turn_requests: '— the turn reached its limit of requests —',
	refusal: '— the model refused —',
};

/** How a turn ends whose prompt is in the conversation. What a model refuses, the agent may drop. */
const READ: ReadonlySet<string> = new Set(['end_turn', 'max_tokens', 'max_turn_requests'] satisfies StopReason[]);

const LEAVING = ['/exit', '/quit'];

/** Talks with an agent in this terminal, until its user ends it. */
export class FrontEnd {
	private readonly lines: PromptedLines;
	private readonly shown: UpdateLines;
	private conversation: AcpConversation | undefined;
	private isWorking = false;
	/** The agent has a prompt, and its turn is not over. */
	private isPrompted = false;
	/** A question of this turn was not answered with a Yes. */
	private isDenied = false;
	private isBreaking = false;
	private silent: SilentHookCalls | undefined;
	private guarded: GuardedConversation | undefined;
	/** Of an agent that takes words in the middle of its turn. */
	private steering: Steering | undefined;
	/** What the agent says while its user is asked: it comes between no question and its answer. */
	private held: (() => void)[] | undefined;
	private readonly left = new AbortController();
	/** One after the other. */
	private asking: Promise<unknown> = Promise.resolve();
	/** Waits until a message is worth a turn. */
	private listening: CalledGuard | undefined;
	private readonly pulls = new Pulls(async () => this.guarded?.pulled());

	constructor(private readonly talk: Talk) {
		this.lines = new PromptedLines({
			stdin: process.stdin,
			prompt: '> ',
			completer: line => [this.completions(line), line],
			write: text => void process.stdout.write(`${text}\n`),
			interrupt: () => (this.isWorking && !this.isBreaking ? this.interrupt() : this.leave()),
			escape: () => this.interrupt(),
			ended: () => this.leave(),
			keepsEarly: true,
		});
		this.shown = new UpdateLines((line, style) => {
			if (this.held) this.held.push(() => this.say(line, style));
			else this.say(line, style);
		});
	}

	/** @throws Error with the agent's own words if it does not begin */
	async run(): Promise<void> {
		const { program, resume, prompt, acp } = this.talk;
		for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => this.leave());
		if (prompt !== undefined) this.lines.put(prompt);
		try {
			const pull = acp.steering === 'none' ? undefined : acp.steering.method;
			this.conversation = await AcpConversation.begin(
				{ program, resume, pull, stop: this.left.signal },
				{
					update: update => {
						if (this.isPrompted) this.guarded?.said(update.sessionUpdate);
						this.shown.take(update);
						this.steering?.update(update);
						this.silent?.update(update);
					},
					ask: (request, over) => this.ask(request, over),
					words: () => this.pulls.next(),
				},
			);
			const guarded = await GuardedConversation.begin(this.talk, this.conversation);
			this.guarded = guarded;
			if (this.conversation.isSteered) this.steering = this.steeringOf(this.conversation, guarded);
			this.silent = this.silentHooks(this.conversation, guarded);
			await this.silent?.begun();
			let isGone = false;
			void this.conversation.closed.then(() => {
				isGone = !this.left.signal.aborted;
				this.lines.end();
			});
			for (;;) {
				this.listen(guarded);
				const text = await this.lines.next();
				if (isGone) throw new Error(this.conversation.complaints() || 'The agent has ended.');
				if (text === undefined || this.left.signal.aborted || LEAVING.includes(text)) return;
				await this.turns(this.conversation, guarded, text);
				const late = await this.pulls.left();
				if (late !== undefined) await this.turns(this.conversation, guarded, late);
			}
		} finally {
			this.lines.close();
			this.listening?.end('SIGTERM');
			await this.silent?.ended();
			await this.conversation?.close();
		}
	}

	/** The terminal is gone, and the agent ends with it. */
	private leave(): void {
		if (this.left.signal.aborted) return;
		this.left.abort();
		this.lines.drop();
		void this.conversation?.close();
	}

	/** A turn, and those that go on with what is handed over at its end. */
	private async turns(conversation: AcpConversation, guarded: GuardedConversation, text: string): Promise<void> {
		let next = await this.turn(conversation, guarded, text, false);
		while (next !== undefined && !this.left.signal.aborted) {
			this.say(next, 'dim');
			next = await this.turn(conversation, guarded, next, true);
		}
	}

	/** @returns words to go on with */
	private async turn(
		conversation: AcpConversation,
		guarded: GuardedConversation,
		text: string,
		isContinued: boolean,
	): Promise<string | undefined> {
		this.isWorking = true;
		this.isDenied = this.isBreaking = false;
		if (isContinued) guarded.owe(text);
		const prompt = isContinued ? text : await guarded.prompted(text, words => this.say(words, 'dim'));
		const isSent = prompt !== undefined && !this.isBreaking;
		const stopped = isSent ? await this.sent(conversation, guarded, prompt) : 'cancelled';
		const isRead = typeof stopped === 'string' && READ.has(stopped);
		if (isRead) guarded.answered();
		const { said } = this.shown;
		this.shown.endTurn();
		if (typeof stopped !== 'string') this.say(`✗ ${stopped.error}`, 'red');
		else if (STOPPED[stopped] !== undefined && prompt !== undefined) this.say(STOPPED[stopped], 'dim');
		if (!isSent && prompt !== undefined) this.say(`Not sent: ${text}`, 'dim');
		guarded.over(isRead);
		const next = await this.ended(guarded, stopped === 'end_turn', { said, isContinued });
		this.isWorking = false;
		return next;
	}

	/** Runs the agent's part of a turn. What came too late to be a part of it is the next prompt. */
	private async sent(
		conversation: AcpConversation,
		guarded: GuardedConversation,
		prompt: string,
	): Promise<StopReason | { error: string }> {
		const stopped = await this.answered(conversation, prompt);
		await this.silent?.kept;
		const late = await this.steering?.end();
		if (late === undefined || stopped !== 'end_turn' || this.isBreaking) return stopped;
		guarded.answered();
		guarded.owe(late);
		this.say(late, 'dim');
		return this.sent(conversation, guarded, late);
	}

	private async answered(conversation: AcpConversation, prompt: string): Promise<StopReason | { error: string }> {
		this.isPrompted = true;
		this.steering?.begin();
		try {
			return await conversation.prompt(prompt);
		} catch (error) {
			return { error: errorText(error) };
		} finally {
			this.isPrompted = false;
		}
	}

	/** Tells the guard that a turn is over. @returns words to go on with */
	private async ended(
		guarded: GuardedConversation,
		isBySelf: boolean,
		turn: { said: string; isContinued: boolean },
	): Promise<string | undefined> {
		if (isBySelf && !(this.isDenied && this.talk.acp.brokenOff.isAfterNo)) {
			const next = await guarded.stopped(turn);
			if (next === undefined || !this.isBreaking) return next;
			this.say(STOPPED['cancelled'] ?? '', 'dim');
			// They were not sent.
			guarded.over(true);
		}
		await guarded.brokenOff();
		return undefined;
	}

	/** A message begins the next turn while the agent is idle. A half-typed line stays. */
	private listen(guarded: GuardedConversation): void {
		if (this.listening || this.left.signal.aborted) return;
		this.listening = guarded.wait(prompt => {
			this.listening = undefined;
			// While it works, it gets the message by its hooks.
			if (prompt !== undefined && !this.isWorking) this.lines.put(prompt);
		});
	}

	private completions(line: string): string[] {
		const commands = [...this.shown.commands.map(name => `/${name}`), ...LEAVING];
		return line.startsWith('/') ? commands.filter(command => command.startsWith(line)) : [];
	}

	/** Breaks the turn off. */
	private interrupt(): void {
		if (!this.isWorking) return;
		this.isBreaking = true;
		if (this.isPrompted) void this.conversation?.cancel().catch(() => undefined);
	}

	private async ask(request: RequestPermissionRequest, over: AbortSignal): Promise<RequestPermissionResponse> {
		const before = this.asking;
		const answer = before.then(() => this.askNow(request, over));
		this.asking = answer.catch(() => undefined);
		return answer;
	}

	private async askNow(request: RequestPermissionRequest, over: AbortSignal): Promise<RequestPermissionResponse> {
		if (over.aborted) return CANCELLED;
		this.shown.flush();
		this.held = [];
		this.silent?.asked(request);
		const question = new PermissionQuestion(request, this.talk.acp, this.lines, over);
		const answer = await question.answer(
			asked => this.guarded?.call(asked.event, 'ask', asked.payload),
			this.isWorking,
		);
		for (const say of this.held.splice(0)) say();
		this.held = undefined;
		if (isYes(request, answer)) this.silent?.allowed(request);
		else {
			this.isDenied = true;
			this.silent?.denied(request);
		}
		return answer;
	}

	private steeringOf(conversation: AcpConversation, guarded: GuardedConversation): Steering {
		return new Steering({
			steer: async words => !this.isBreaking && conversation.steer(words),
			taken: words => {
				guarded.gave(words);
				this.say(words, 'dim');
			},
			stepped: () => guarded.stepped(),
		});
	}

	private silentHooks({ session, pid }: AcpConversation, guarded: GuardedConversation): SilentHookCalls | undefined {
		const { silent } = this.talk.acp;
		if (silent === 'none') return undefined;
		const place = { session, cwd: this.talk.program.cwd, isResumed: this.talk.resume !== undefined };
		return new SilentHookCalls(silent, place, async ({ event, slot, payload }) => {
			const isTaken = slot !== 'boundary' || this.steering?.isBetweenSteps === true;
			// Its end is told too.
			const printed = await guarded.call(event, isTaken ? slot : 'report', payload, pid)?.printed;
			const words = slot === 'boundary' && guarded.wordsIn(printed ?? '');
			if (words) this.steering?.give(words);
		});
	}

	private say(line: string, style?: Style): void {
		this.lines.say(styled(visible(line), style));
	}
}
