import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { errorText } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import type { AcpAgent } from '../core/driver/acp.ts';
import { callGuard, type BetweenPlace, type CalledGuard, type GuardCall } from '../core/driver/calledGuard.ts';
import type { DriverId, SessionId } from '../protocol/names.ts';
import { AcpConversation, type Program } from './acpConversation.ts';
import { isYes, PermissionQuestion } from './permission.ts';
import { PromptedLines } from './promptedLines.ts';
import { UpdateLines } from './updateLines.ts';

export interface Talk {
	readonly driver: DriverId;
	readonly acp: Pick<AcpAgent, 'steering' | 'brokenOff'>;
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

const LEAVING = ['/exit', '/quit'];

/** Talks with an agent in this terminal, until its user ends it. */
export class FrontEnd {
	private readonly lines: PromptedLines;
	private readonly shown: UpdateLines;
	private conversation: AcpConversation | undefined;
	private isWorking = false;
	/** A question of this turn was not answered with a Yes: no hook may tell of the turn's end. */
	private isDenied = false;

	constructor(private readonly talk: Talk) {
		this.lines = new PromptedLines({
			stdin: process.stdin,
			prompt: '> ',
			completer: line => [[], line],
			write: text => void process.stdout.write(`${text}\n`),
			interrupt: () => (this.isWorking ? this.interrupt() : this.lines.end()),
			escape: () => this.interrupt(),
		});
		this.shown = new UpdateLines(line => this.say(line));
	}

	/** @throws Error with the agent's own words if it does not begin */
	async run(): Promise<void> {
		const { program, resume, prompt, acp } = this.talk;
		for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => this.leave());
		process.stdin.once('end', () => this.leave());
		try {
			const pull = acp.steering === 'none' ? undefined : acp.steering.method;
			this.conversation = await AcpConversation.begin(
				{ program, resume, pull },
				{
					update: update => this.shown.take(update),
					ask: (request, over) => this.ask(request, over),
					words: session => this.words(session),
				},
			);
			void this.conversation.closed.then(() => this.lines.end());
			if (prompt !== undefined) this.lines.put(prompt);
			for (;;) {
				const text = await this.lines.next();
				if (text === undefined || LEAVING.includes(text)) return;
				await this.turn(this.conversation, text);
			}
		} finally {
			this.lines.close();
			await this.conversation?.close();
		}
	}

	/** The terminal is gone, and the agent ends with it. */
	private leave(): void {
		this.lines.drop();
		void this.conversation?.close();
	}

	private async turn(conversation: AcpConversation, text: string): Promise<void> {
		this.isWorking = true;
		this.isDenied = false;
		const stopped = await conversation.prompt(text).catch((error: unknown) => ({ error: errorText(error) }));
		this.isWorking = false;
		this.shown.flush();
		const said = typeof stopped === 'string' ? STOPPED[stopped] : `✗ ${stopped.error}`;
		if (said !== undefined) this.say(said);
		if (stopped === 'end_turn' && !this.isDenied) return;
		const { brokenOff } = this.talk.acp;
		const { session } = conversation;
		await this.guard(session, brokenOff.event, 'report', cwd => brokenOff.payload(session, cwd))?.printed;
	}

	/** Breaks the turn off. */
	private interrupt(): void {
		if (this.isWorking) void this.conversation?.cancel().catch(() => undefined);
	}

	private async ask(request: RequestPermissionRequest, over: AbortSignal): Promise<RequestPermissionResponse> {
		this.shown.flush();
		const question = new PermissionQuestion(request, this.lines, over);
		const answer = await question.answer(asked =>
			this.guard(request.sessionId, asked.event, 'ask', () => asked.payload),
		);
		if (!isYes(request, answer)) this.isDenied = true;
		return answer;
	}

	private async words(session: string): Promise<string | undefined> {
		const { steering } = this.talk.acp;
		if (steering === 'none') return undefined;
		const guard = this.guard(session, steering.event, 'boundary', cwd => steering.payload(session, cwd));
		return guard && steering.words(await guard.printed);
	}

	/** `undefined` if the agent is gone. */
	private guard(
		session: string,
		event: string,
		slot: GuardCall['slot'],
		payload: (cwd: string) => object,
	): CalledGuard | undefined {
		const { driver, place, program } = this.talk;
		const agent = this.conversation?.pid;
		if (agent === undefined) return undefined;
		return callGuard(place, { driver, event, slot, session, agent }, payload(program.cwd));
	}

	private say(line: string): void {
		this.lines.say(visible(line));
	}
}
