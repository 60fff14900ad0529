import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestPermissionRequest, RequestPermissionResponse, StopReason } from '@agentclientprotocol/sdk';
import { errorText } from '../base/errors.ts';
import { dataFolder } from '../base/folders.ts';
import { visible } from '../base/visible.ts';
import type { AcpAgent, SilentHook, TurnHooks } from '../core/driver/acp.ts';
import { OwnFolder } from '../core/files/ownFolder.ts';
import { ConversationRecord } from '../core/sessions/conversationRecord.ts';
import { callGuard, type BetweenPlace, type CalledGuard, type GuardCall } from '../core/driver/calledGuard.ts';
import { isWake } from '../drivers/bell.ts';
import { SessionId, type DriverId } from '../protocol/names.ts';
import { AcpConversation, CANCELLED, type Program } from './acpConversation.ts';
import { isYes, PermissionQuestion } from './permission.ts';
import { PromptedLines } from './promptedLines.ts';
import { styled, type Style } from './style.ts';
import { SilentHookCalls } from './silentHooks.ts';
import { UpdateLines } from './updateLines.ts';

export interface Talk {
	readonly driver: DriverId;
	readonly acp: Omit<AcpAgent, 'read'>;
	readonly place: BetweenPlace;
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

/** What an agent says that has read its prompt. */
const REPLIES: ReadonlySet<string> = new Set(['agent_message_chunk', 'agent_thought_chunk', 'plan', 'tool_call']);

/** An event of Nancy's own: nothing has happened. */
const WAITS = 'wait';

const LEAVING = ['/exit', '/quit'];

/** How long a pull is answered late, in milliseconds: Qwen Code 0.24.4 waits for 2 s, and pulls no more after three late answers. */
const PULL_MS = 1500;

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
	/** Of an agent to which words are handed over here. */
	private record: ConversationRecord | undefined;
	/** What the agent says while its user is asked: it comes between no question and its answer. */
	private held: (() => void)[] | undefined;
	private readonly left = new AbortController();
	/** One after the other. */
	private asking: Promise<unknown> = Promise.resolve();
	/** Waits until a message is worth a turn. */
	private listening: CalledGuard | undefined;
	/** Words that the guard hands over, and the agent has not got yet. */
	private pulling: Promise<string | undefined> | undefined;

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
						if (REPLIES.has(update.sessionUpdate)) this.record?.answered();
						this.shown.take(update);
						this.silent?.update(update);
					},
					ask: (request, over) => this.ask(request, over),
					words: session => this.words(session),
				},
			);
			this.record = await this.recordOf(this.conversation);
			this.silent = this.silentHooks(this.conversation);
			await this.silent?.begun();
			let isGone = false;
			void this.conversation.closed.then(() => {
				isGone = !this.left.signal.aborted;
				this.lines.end();
			});
			for (;;) {
				this.listen(this.conversation);
				const text = await this.lines.next();
				if (isGone) throw new Error(this.conversation.complaints() || 'The agent has ended.');
				if (text === undefined || this.left.signal.aborted || LEAVING.includes(text)) return;
				await this.turns(this.conversation, text);
				const late = await this.pulling;
				this.pulling = undefined;
				if (late !== undefined) await this.turns(this.conversation, late);
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
	private async turns(conversation: AcpConversation, text: string): Promise<void> {
		let next = await this.turn(conversation, text, false);
		while (next !== undefined && !this.left.signal.aborted) {
			this.say(next, 'dim');
			next = await this.turn(conversation, next, true);
		}
	}

	/** @returns words to go on with */
	private async turn(conversation: AcpConversation, text: string, isContinued: boolean): Promise<string | undefined> {
		this.isWorking = true;
		this.isDenied = this.isBreaking = false;
		if (isContinued) this.record?.owe(text);
		const prompt = isContinued ? text : await this.prompted(conversation, text);
		const stopped = prompt === undefined || this.isBreaking ? 'cancelled' : await this.sent(conversation, prompt);
		const { said } = this.shown;
		this.shown.endTurn();
		if (typeof stopped !== 'string') this.say(`✗ ${stopped.error}`, 'red');
		else if (STOPPED[stopped] !== undefined && prompt !== undefined) this.say(STOPPED[stopped], 'dim');
		const next = await this.ended(conversation, stopped, { said, isContinued });
		this.isWorking = false;
		return next;
	}

	/** Runs the agent's part of a turn. */
	private async sent(conversation: AcpConversation, prompt: string): Promise<StopReason | { error: string }> {
		this.isPrompted = true;
		try {
			const stopped = await conversation.prompt(prompt);
			if (stopped !== 'cancelled') this.record?.answered();
			return stopped;
		} catch (error) {
			return { error: errorText(error) };
		} finally {
			this.isPrompted = false;
		}
	}

	/** Tells the guard that a turn is over. @returns words to go on with */
	private async ended(
		conversation: AcpConversation,
		stopped: StopReason | { error: string },
		turn: { said: string; isContinued: boolean },
	): Promise<string | undefined> {
		const { brokenOff } = this.talk.acp;
		const { session } = conversation;
		this.record?.over();
		await this.silent?.kept;
		if (stopped === 'end_turn' && !(this.isDenied && brokenOff.isAfterNo)) {
			const next = await this.stopped(conversation, turn);
			if (next === undefined || !this.isBreaking) return next;
			// Broken off before they were sent: they come again.
			this.say(STOPPED['cancelled'] ?? '', 'dim');
			this.record?.over();
		}
		await this.guard(session, brokenOff.event, 'end', cwd => brokenOff.payload(session, cwd))?.printed;
		return undefined;
	}

	/** The prompt with what the guard hands over; `undefined` for one that says nothing without. */
	private async prompted({ session }: AcpConversation, text: string): Promise<string | undefined> {
		const { turns } = this.talk.acp;
		if (turns === 'none') return text;
		const told = turns.prompted(text, session, this.talk.program.cwd);
		// The agent takes what follows its own command for that command's arguments, or drops it.
		if (text.startsWith('/')) {
			await this.guard(session, told.event, 'report', () => told.payload)?.printed;
			return text;
		}
		const words = await this.handedOver(turns, told, session);
		if (words === undefined) return turns.saysNothing(text) ? undefined : text;
		this.record?.owe(words);
		this.say(words, 'dim');
		return `${text}\n\n${words}`;
	}

	/** What the guard hands over at the end of a turn. */
	private async stopped(
		{ session }: AcpConversation,
		turn: { said: string; isContinued: boolean },
	): Promise<string | undefined> {
		const { turns } = this.talk.acp;
		if (turns === 'none') return undefined;
		return this.handedOver(turns, turns.stopped(turn, session, this.talk.program.cwd), session);
	}

	private async handedOver(
		turns: TurnHooks,
		{ event, slot, payload }: SilentHook<'turn' | 'end'>,
		session: string,
	): Promise<string | undefined> {
		return turns.words((await this.guard(session, event, slot, () => payload)?.printed) ?? '');
	}

	/** A message begins the next turn while the agent is idle. A half-typed line stays. */
	private listen({ session }: AcpConversation): void {
		if (this.listening || this.left.signal.aborted) return;
		this.listening = this.guard(session, WAITS, 'wait', () => ({}));
		void this.listening?.woken.then(words => {
			this.listening = undefined;
			// While it works, it gets the message by its hooks.
			// A guard that fails may end so, too.
			if (words !== undefined && isWake(words) && !this.isWorking) this.lines.put(words.trim());
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
			asked => this.guard(request.sessionId, asked.event, 'ask', () => asked.payload),
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

	/** What the agent waits too briefly for goes with its next pull, or is its next prompt. */
	private async words(session: string): Promise<string | undefined> {
		this.pulling ??= this.pulled(session);
		const { pulling } = this;
		const text = await Promise.race([pulling, sleep(PULL_MS, 'late' as const, { ref: false })]);
		if (text === 'late') return undefined;
		this.pulling = undefined;
		return text;
	}

	private async pulled(session: string): Promise<string | undefined> {
		const { steering } = this.talk.acp;
		if (steering === 'none') return undefined;
		const guard = this.guard(session, steering.event, 'boundary', cwd => steering.payload(session, cwd));
		return guard && steering.words(await guard.printed);
	}

	private async recordOf({ session }: AcpConversation): Promise<ConversationRecord | undefined> {
		if (this.talk.acp.turns === 'none') return undefined;
		const own = new OwnFolder(dataFolder(), this.talk.place.workspaceFolder);
		return ConversationRecord.begin(own, SessionId.parse(session));
	}

	private silentHooks({ session, pid }: AcpConversation): SilentHookCalls | undefined {
		const { silent } = this.talk.acp;
		if (silent === 'none') return undefined;
		const place = { session, cwd: this.talk.program.cwd, isResumed: this.talk.resume !== undefined };
		return new SilentHookCalls(silent, place, async ({ event, slot, payload }) => {
			// Its end is told too.
			await this.guard(session, event, slot, () => payload, pid)?.printed;
		});
	}

	/** `undefined` if the agent is gone, or no guard can be started. */
	private guard(
		session: string,
		event: string,
		slot: GuardCall['slot'],
		payload: (cwd: string) => object,
		agent = this.conversation?.pid,
	): CalledGuard | undefined {
		const { driver, place, program } = this.talk;
		if (agent === undefined) return undefined;
		try {
			const told = { ...payload(program.cwd), ...(this.record && { record: this.record.file }) };
			return callGuard(place, { driver, event, slot, session, agent }, told);
		} catch {
			// No process can be started: this terminal remains.
			return undefined;
		}
	}

	private say(line: string, style?: Style): void {
		this.lines.say(styled(visible(line), style));
	}
}
