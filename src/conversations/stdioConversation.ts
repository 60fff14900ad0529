import { randomUUID } from 'node:crypto';
import type { StopReason } from '@agentclientprotocol/sdk';
import { visible, visibleLine } from '../base/visible.ts';
import { ASKS_PERMISSION } from '../core/driver/acp.ts';
import type { StdioAgent, StdioLine, StdioQuestion } from '../core/driver/stdio.ts';
import { Lines } from '../process/lines.ts';
import type { Choice } from '../protocol/question.ts';
import type { AgentProcess } from './agentProcess.ts';
import {
	BROKEN_OFF,
	isAllowing,
	SAY_WHY,
	type Answered,
	type Asked,
	type Conversation,
	type Listener,
	type Option,
} from './conversation.ts';

/** One conversation with an agent by lines of its own: see {@link StdioAgent}. */
export class StdioConversation implements Conversation {
	session = '';
	readonly closed: Promise<void>;
	private readonly begun = new Settled<void>();
	/** The turn that runs. */
	private turn: Settled<StopReason> | undefined;
	/** What ends the questions that wait, by their ids. */
	private readonly open = new Map<string, AbortController>();
	/** Those of subagents. */
	private readonly beside = new WeakSet<AbortController>();
	/** Those of subagents that were open when a turn was broken off. */
	private readonly broken = new WeakSet<AbortController>();
	/** Words that the agent has not read yet, by their ids. */
	private readonly steering = new Map<string, string>();
	private hasNoise = false;

	private constructor(
		private readonly process: AgentProcess,
		private readonly agent: StdioAgent,
		private readonly listener: Listener,
	) {
		const ended = new Settled<void>();
		this.closed = ended.promise;
		process.onExit(() => {
			const gone = new Error(this.complaints() || 'The agent has ended.');
			this.begun.reject(gone);
			for (const over of this.open.values()) over.abort();
			this.over(turn => turn.reject(gone));
			ended.resolve();
		});
		process.stdin.on('error', () => undefined);
		const read = agent.reader();
		const lines = new Lines(line => {
			const told = read(line);
			if (told) for (const each of told) this.take(each);
			else this.noise();
		});
		process.stdout.on('data', (bytes: Buffer) => lines.push(bytes));
	}

	/** @throws Error with the agent's own words if it does not begin */
	static async begin(process: AgentProcess, agent: StdioAgent, listener: Listener): Promise<StdioConversation> {
		const conversation = new StdioConversation(process, agent, listener);
		process.stdin.write(agent.begin());
		try {
			await process.inTime(() => conversation.begun.promise);
			return conversation;
		} catch (error) {
			await process.end(true);
			throw error;
		}
	}

	get pid(): number | undefined {
		return this.process.pid;
	}

	complaints = (): string => this.process.complaints;

	/** While the agent has begun a turn by itself, the words are for that one. */
	prompt(text: string): Promise<StopReason> {
		this.send(this.agent.prompt(text, randomUUID()));
		return this.running().promise;
	}

	steer(text: string): boolean {
		if (!this.turn) return false;
		const id = randomUUID();
		this.steering.set(id, text);
		this.send(this.agent.prompt(text, id));
		return true;
	}

	cancel(): Promise<void> {
		for (const over of this.open.values()) {
			// A subagent runs beside the turn and still waits, or the turn waits for it: then the CLI takes its question back.
			if (this.beside.has(over)) this.broken.add(over);
			else over.abort(BROKEN_OFF);
		}
		this.send(this.agent.interrupt());
		return Promise.resolve();
	}

	/** An agent at work would go on to the end of its turn. */
	close(): Promise<void> {
		return this.process.end(this.turn !== undefined);
	}

	private send(line: string): void {
		this.process.stdin.write(line);
	}

	private running(): Settled<StopReason> {
		return (this.turn ??= new Settled<StopReason>());
	}

	/** The turn is over. A question of what runs beside it stays open. */
	private over(end: (turn: Settled<StopReason>) => void): void {
		const { turn } = this;
		this.turn = undefined;
		if (turn) end(turn);
	}

	/** The CLI itself prints its protocol alone, and what it starts may have its output. */
	private noise(): void {
		if (!this.hasNoise) this.listener.note('It prints lines that are no messages to Nancy. They are left out.');
		this.hasNoise = true;
	}

	private take(line: StdioLine): void {
		switch (line.is) {
			case 'begun':
				return this.begun.resolve();
			case 'session':
				this.session = line.session;
				return;
			case 'turn':
				if (!this.turn) this.listener.began(this.running().promise);
				return;
			case 'update':
				return this.listener.update(line.update);
			case 'read': {
				const text = this.steering.get(line.id);
				if (text !== undefined) this.listener.note(`It has read: ${visibleLine(text)}`);
				this.steering.delete(line.id);
				return;
			}
			case 'asked':
				return void this.ask(line.question);
			case 'unknown':
				this.listener.note('It asks for something that Nancy does not know, and is told so');
				return this.send(this.agent.refusal(line.id));
			case 'withdrawn': {
				const over = this.open.get(line.id);
				return over?.abort(this.broken.has(over) ? BROKEN_OFF : undefined);
			}
			case 'over':
				return this.over(turn => turn.resolve(line.stopped));
			case 'failed':
				this.begun.reject(new Error(line.reason));
				return this.over(turn => turn.reject(new Error(line.reason)));
			case 'note':
				return this.listener.note(line.text);
		}
	}

	private async ask(question: StdioQuestion): Promise<void> {
		// One answer is for both.
		if (this.open.has(question.id)) return;
		const over = new AbortController();
		this.open.set(question.id, over);
		if (question.isBeside) this.beside.add(over);
		// Whatever fails there is no Yes.
		const answer = await this.listener.ask(this.askedBy(question), over.signal).catch(() => undefined);
		this.open.delete(question.id);
		// Whoever withdraws a question has an answer.
		if (over.signal.aborted) return;
		const { agent } = this;
		const decision =
			answer?.printed === undefined
				? agent.decisionOf(question, { ...replyOf(answer) })
				: agent.decisionIn(answer.printed);
		if (decision) this.send(agent.reply(question, decision));
	}

	private askedBy(question: StdioQuestion): Asked {
		const { agent } = this;
		const options = optionsOf(question.choices);
		const [yes, no] = ['once', 'no'].map(id => options.find(({ optionId }) => optionId === id));
		return {
			toolCall: question.toolCall,
			options,
			fields: question.fields,
			held: { event: ASKS_PERMISSION, payload: question.payload },
			answerIn: printed => {
				const decision = agent.decisionIn(printed);
				const option = decision?.isYes ? yes : no;
				return decision && option && { option, printed };
			},
			told: answer => {
				const { option, printed } = answer;
				const isEnd =
					printed === undefined ? option.optionId === 'end' : agent.decisionIn(printed)?.isEnd === true;
				if (isEnd) return agent.answered(question, 'ended');
				if (printed !== undefined) return agent.answered(question, 'taken');
				// What a No keeps from running has no event, and the next one of the turn shows that it goes on.
				return isAllowing(option) ? agent.answered(question, 'terminal') : undefined;
			},
		};
	}
}

/** A promise that others settle. */
class Settled<T> {
	resolve!: (value: T) => void;
	reject!: (error: Error) => void;
	readonly promise = new Promise<T>((resolve, reject) => {
		this.resolve = resolve;
		this.reject = reject;
	});
}

/** `Ctrl-C` at a question, and one that nobody can answer, are a No that ends the turn. */
function replyOf(answer: Answered | undefined) {
	if (!answer) return { effect: 'end' as const };
	const { option, words, values } = answer;
	return {
		effect: effectOf(option),
		...(words !== undefined && { words }),
		...(values !== undefined && { values }),
	};
}

const WITH_WORDS = 'no-words';

function effectOf({ optionId }: Option): Choice['effect'] {
	switch (optionId) {
		case 'once':
		case 'session':
		case 'folder':
		case 'user':
		case 'end':
			return optionId;
		default:
			return 'no';
	}
}

/** In UTF-16 units. A standing Yes whose rule is longer is not offered: nobody would read it whole. */
const LONGEST_RULE = 300;

/** What may be answered here. The name of a standing Yes is its scope. */
function optionsOf(choices: readonly Choice[]): Option[] {
	return choices.flatMap(({ effect, rule = '', keptIn }): Option[] => {
		const kept = keptIn === undefined ? '' : `, kept in ${keptIn}`;
		if (visible(rule).length > LONGEST_RULE) return [];
		switch (effect) {
			case 'once':
				return [{ optionId: effect, kind: 'allow_once', name: 'Yes, this once', key: 'y' }];
			case 'session':
				return [{ optionId: effect, kind: 'allow_always', name: `Yes, and until this session ends: ${rule}` }];
			case 'folder':
				return [{ optionId: effect, kind: 'allow_always', name: `Yes, always in this folder: ${rule}${kept}` }];
			case 'user':
				return [{ optionId: effect, kind: 'allow_always', name: `Yes, always and everywhere: ${rule}${kept}` }];
			case 'no':
				return [
					{ optionId: effect, kind: 'reject_once', name: 'No', key: 'n' },
					{ optionId: WITH_WORDS, kind: 'reject_once', ...SAY_WHY },
				];
			case 'end':
				return [{ optionId: effect, kind: 'reject_once', name: 'No, and end the turn', key: 'e' }];
		}
	});
}
