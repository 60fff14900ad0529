import { errorText } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import type { TalkedAgent } from '../core/driver/acp.ts';
import { isYes, type Answered, type Asked } from './conversation.ts';
import type { GuardedConversation } from './guarded.ts';
import { PermissionQuestion } from './permission.ts';
import type { PromptedLines } from './promptedLines.ts';
import type { SilentHookCalls } from './silentHooks.ts';

/** Where an agent's questions are asked. */
export interface AskingPlace {
	readonly agent: TalkedAgent;
	readonly lines: PromptedLines;
	readonly guarded: GuardedConversation | undefined;
	readonly silent: SilentHookCalls | undefined;
	/** A turn of the agent's is not over. Otherwise this terminal takes prompts. */
	readonly isAtWork: boolean;
}

/** The questions of an agent in this terminal, one after the other. */
export class AskedHere {
	/** A question of this turn was not answered with a Yes. */
	isDenied = false;
	/** What the agent says while its user is asked: it comes between no question and its answer. */
	private held: (() => void)[] | undefined;
	private last: Promise<unknown> = Promise.resolve();

	/** @param place as it is when a question comes */
	constructor(private readonly place: () => AskingPlace) {}

	/** Says something of the agent's, if nobody is asked; otherwise afterwards. */
	say(act: () => void): void {
		if (this.held) this.held.push(act);
		else act();
	}

	/** @returns `undefined` if nobody has answered */
	ask(question: Asked, over: AbortSignal): Promise<Answered | undefined> {
		if (!this.place().isAtWork) return this.askNow(question, over);
		const begun = this.last.then(() => {
			// Outside of a turn it is only told here: neither the next turn nor its questions wait for it. The turn may be over since it came.
			const { isAtWork } = this.place();
			const answer = this.askNow(question, over);
			return { answer, typed: isAtWork ? answer : undefined };
		});
		this.last = begun.then(({ typed }) => typed).catch(() => undefined);
		return begun.then(({ answer }) => answer);
	}

	/** Holds back what the agent says. */
	private async whileHeld<T>(work: () => Promise<T>): Promise<T> {
		const held: (() => void)[] = (this.held = []);
		try {
			return await work();
		} finally {
			this.held = undefined;
			for (const say of held) say();
		}
	}

	private async askNow(asked: Asked, over: AbortSignal): Promise<Answered | undefined> {
		if (over.aborted) return undefined;
		const { agent, lines, guarded, silent, isAtWork } = this.place();
		const answering = async () => {
			silent?.asked(asked);
			const question = new PermissionQuestion(asked, agent, lines, over);
			return question.answer(held => guarded?.call(held.event, 'ask', held.payload), isAtWork);
		};
		const answer = await (isAtWork ? this.whileHeld(answering) : answering()).catch((error: unknown) => {
			lines.say(`This question cannot be asked, and is denied: ${visible(errorText(error))}`);
			return undefined;
		});
		if (asked.wordsFollow && answer?.words !== undefined) lines.put(answer.words);
		const told = answer && asked.told(answer);
		// Before the agent has the answer. On a busy machine its own events would be kept first, and say that somebody else had decided.
		if (told) await guarded?.call(told.event, 'report', told.payload)?.printed;
		if (isYes(answer)) silent?.allowed(asked);
		else {
			this.isDenied = true;
			silent?.denied(asked);
		}
		return answer;
	}
}
