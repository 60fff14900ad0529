import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { errorText } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import type { AcpAgent, SilentHook, TurnHooks } from '../core/driver/acp.ts';
import { callGuard, type BetweenPlace, type CalledGuard, type GuardCall } from '../core/driver/calledGuard.ts';
import type { DriverId, SessionId } from '../protocol/names.ts';
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
	/** A question of this turn was not answered with a Yes. */
	private isDenied = false;
	private isBreaking = false;
	private silent: SilentHookCalls | undefined;
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
						this.shown.take(update);
						this.silent?.update(update);
					},
					ask: (request, over) => this.ask(request, over),
					words: session => this.words(session),
				},
			);
			this.silent = this.silentHooks(this.conversation);
			await this.silent?.begun();
			let isGone = false;
			void this.conversation.closed.then(() => {
				isGone = !this.left.signal.aborted;
				this.lines.end();
			});
			for (;;) {
				const text = await this.lines.next();
				if (isGone) throw new Error(this.conversation.complaints() || 'The agent has ended.');
				if (text === undefined || this.left.signal.aborted || LEAVING.includes(text)) return;
				await this.turns(this.conversation, text);
				const late = await this.pulling;
				this.pulling = undefined;
				if (late !== undefined) await this.turns(this.conversation, late);
				this.listen(this.conversation);
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
		const prompt = isContinued ? text : await this.prompted(conversation, text);
		const isLeft = prompt === undefined || this.isBreaking;
		const stopped = isLeft
			? 'cancelled'
			: await conversation.prompt(prompt).catch((error: unknown) => ({ error: errorText(error) }));
		this.isWorking = false;
		const { said } = this.shown;
		this.shown.endTurn();
		if (typeof stopped !== 'string') this.say(`✗ ${stopped.error}`, 'red');
		else if (STOPPED[stopped] !== undefined && prompt !== undefined) this.say(STOPPED[stopped], 'dim');
		const { brokenOff } = this.talk.acp;
		if (stopped === 'end_turn' && !(this.isDenied && brokenOff.isAfterNo))
			return this.stopped(conversation, said, isContinued);
		const { session } = conversation;
		await this.silent?.kept;
		await this.guard(session, brokenOff.event, 'end', cwd => brokenOff.payload(session, cwd))?.printed;
		return undefined;
	}

	/** The prompt with what the guard hands over; `undefined` for one that says nothing without. */
	private async prompted({ session }: AcpConversation, text: string): Promise<string | undefined> {
		const { turns } = this.talk.acp;
		if (turns === 'none') return text;
		const words = await this.handedOver(turns, turns.prompted(text, session, this.talk.program.cwd), session);
		if (words === undefined) return turns.saysNothing(text) ? undefined : text;
		this.say(words, 'dim');
		return `${text}\n\n${words}`;
	}

	/** What the guard hands over at the end of a turn. */
	private async stopped(
		{ session }: AcpConversation,
		said: string,
		isContinued: boolean,
	): Promise<string | undefined> {
		const { turns } = this.talk.acp;
		if (turns === 'none') return undefined;
		await this.silent?.kept;
		return this.handedOver(turns, turns.stopped({ said, isContinued }, session, this.talk.program.cwd), session);
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
			if (words !== undefined && !this.isWorking) this.lines.put(words.trim());
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
		void this.conversation?.cancel().catch(() => undefined);
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
			return callGuard(place, { driver, event, slot, session, agent }, payload(program.cwd));
		} catch {
			// No process can be started: this terminal remains.
			return undefined;
		}
	}

	private say(line: string, style?: Style): void {
		this.lines.say(styled(visible(line), style));
	}
}
