import type { PermissionOption, RequestPermissionRequest, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import type { SessionNames } from '../core/driver/acp.ts';
import type { Field } from '../protocol/question.ts';
import type { SessionId } from '../protocol/names.ts';

/** One conversation with an agent, by whatever protocol. */
export interface Conversation {
	/** Nancy's name for it. The agent may begin another session. */
	readonly session: string;
	/** The agent's process; `undefined` once it has ended. */
	readonly pid: number | undefined;
	/** Fulfilled once the agent has ended. */
	readonly closed: Promise<void>;
	/** What the agent has written to its standard error. */
	readonly complaints: () => string;
	/** Runs one turn. @throws Error with the agent's words if its model fails, or the agent ends */
	prompt(text: string): Promise<StopReason>;
	/** Hands a line that is typed to the agent while it works; `false` where it takes none. */
	steer(text: string): boolean;
	/** Hands words to the turn that runs, between two steps of it. @returns whether they are a part of it; otherwise it is over */
	readonly give?: ((words: string) => Promise<boolean>) | undefined;
	/** Begins another session with the same agent, between two turns. Absent where the agent's own `/clear` does. */
	clear?(): Promise<void>;
	/** What its user may set; absent where the agent's own commands do. */
	readonly settings?: Settings;
	/** Breaks the turn off, with its open questions. */
	cancel(): Promise<void>;
	/** Ends the agent. */
	close(): Promise<void>;
}

/** Something that may be set in a session, such as its mode or its model. */
export interface Setting {
	readonly id: string;
	readonly value: string;
	readonly values: readonly { readonly value: string; readonly name: string }[];
}

export interface Settings {
	readonly list: readonly Setting[];
	/** @throws Error with the agent's words if it does not take that */
	set(id: string, value: string): Promise<void>;
}

export interface Program {
	readonly executable: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** How Nancy names the agent's sessions. */
	readonly sessions: SessionNames | 'own';
}

export interface Beginning {
	readonly program: Program;
	/** An earlier conversation to go on with. What it held comes again as updates, which are left out. */
	readonly resume: SessionId | undefined;
	/** The agent's id of the mode that an earlier conversation goes on in; absent where the launch asks for none. */
	readonly mode?: string | undefined;
	/** The request by which the agent asks for words. */
	readonly pull: string | undefined;
	/** Nobody waits for it any more. */
	readonly stop: AbortSignal;
}

export interface Listener {
	/** In the order in which they come. */
	update(update: SessionUpdate): void;
	/** @param over the agent does not wait any more @returns `undefined` if nobody has answered */
	ask(question: Asked, over: AbortSignal): Promise<Answered | undefined>;
	/** The words that wait for the agent, which asks for them between two steps. */
	words(): Promise<string | undefined>;
	/** The agent has begun a turn that nobody has prompted. */
	began(turn: Promise<StopReason>): void;
	/** Something that the user should know. */
	note(text: string): void;
}

/** What may be chosen. Where it has a key of its own, that is typed for it. */
export type Option = PermissionOption & { readonly key?: string; readonly takesWords?: true };

/** A No that asks for words. */
export const SAY_WHY = { name: 'No, and say why', key: 'w', takesWords: true } as const;

/** A permission question of an agent. */
export interface Asked {
	readonly toolCall: RequestPermissionRequest['toolCall'];
	readonly options: readonly Option[];
	/** Words with a No are the next prompt: the answer has no place for them. */
	readonly wordsFollow?: true;
	/** What the model wants to know with a Yes. */
	readonly fields: readonly Field[];
	/** What the guard holds at the desk. */
	readonly held: { readonly event: string; readonly payload: object };
	/** The answer that the guard has printed; `undefined` if that is none, and `cancelled` if the agent offers nothing for it. */
	answerIn(printed: string): Answered | 'cancelled' | undefined;
	/** What the guard is told of an answer. */
	told(answer: Answered): { readonly event: string; readonly payload: object } | undefined;
}

export interface Answered {
	readonly option: Option;
	/** With a No, to the model. */
	readonly words?: string;
	/** By the question of a field. */
	readonly values?: Record<string, string[]>;
	/** As the guard has printed it. */
	readonly printed?: string;
}

/** Whether an answer lets the agent go on. */
export function isYes(answer: Answered | undefined): boolean {
	return answer !== undefined && isAllowing(answer.option);
}

export function isAllowing({ kind }: Pick<PermissionOption, 'kind'>): boolean {
	return kind.startsWith('allow');
}

/** Why the questions of a turn are over that its user breaks off. */
export const BROKEN_OFF = 'broken off';
