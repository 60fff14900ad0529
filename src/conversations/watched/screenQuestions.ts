import { setTimeout as sleep } from 'node:timers/promises';
import { ChosenKind } from '../../core/driver/acp.ts';
import type { CalledGuard } from '../../core/driver/calledGuard.ts';
import { parseLine } from '../../core/files/jsonLines.ts';
import type { ShownQuestion } from './shownQuestion.ts';
import type { Reading } from './shownState.ts';

/** What stands between the terminal and the CLI, as far as a question needs it. */
export interface QuestionPlace {
	/** `undefined` while the CLI draws. */
	reading(): Reading | undefined;
	/** It is of all that the CLI has drawn. */
	isCurrent(): boolean;
	/** A turn that goes on shows no Yes. */
	readonly goesOnAfterNo: boolean;
	type(text: string): void;
	/** Holds back what the user types. @returns to let go of it, or to drop it with a bell */
	hold(): (isDropped: boolean) => void;
	/** Has a guard hold the question at the desk; `undefined` where none can. */
	ask(question: ShownQuestion): Promise<CalledGuard | undefined>;
}

/** A screen that has stayed the same for so long is no half picture, in milliseconds. It is longer than a typed wake takes to give up. */
const STEADY_MS = 500;

/**
 * For so long the user must have typed nothing before a key is typed here, in milliseconds. The reason is that keys are on the screen later
 * than they are typed.
 */
const QUIET_MS = 1000;

/** How long a CLI may take to close its dialog, in milliseconds. */
const CLOSED_MS = 5000;
const LOOK_MS = 50;
const AGAIN_MS = 1000;

interface Standing {
	readonly question: ShownQuestion;
	readonly key: string;
	readonly over: AbortController;
	guard: CalledGuard | undefined;
}

/**
 * The permission questions of a CLI that no hook answers, at the desk too. A No from there is typed as the option that has that meaning,
 * while the screen still shows that very question. Nothing else of a question is ever typed. An answer in the terminal ends it at the desk.
 */
export class ScreenQuestions {
	private standing: Standing | undefined;
	/** What was seen last, and since when. */
	private seen = '';
	private seenAt = 0;
	private typedAt = 0;
	private soon: NodeJS.Timeout | undefined;

	constructor(private readonly place: QuestionPlace) {}

	/** The screen has changed. */
	changed(): void {
		this.look();
	}

	/** Bytes have come from the terminal. */
	input(): void {
		this.typedAt = Date.now();
	}

	/** The CLI has ended. */
	end(): void {
		clearTimeout(this.soon);
		this.close('SIGHUP');
	}

	private look(): void {
		const reading = this.place.reading();
		if (!reading) return this.lookSoon();
		const key = keyOf(reading);
		if (key !== this.seen) [this.seen, this.seenAt] = [key, Date.now()];
		// Its title says so, or its report: a half picture does not.
		if (reading.state === 'working' || reading.state === 'idle') this.close(this.closedBy(reading));
		if (key === (this.standing?.key ?? '')) return;
		if (Date.now() - this.seenAt < STEADY_MS) return this.lookSoon();
		this.close(this.closedBy(reading));
		if (reading.question?.state === 'asking') void this.open(reading.question, key);
	}

	/** How a question that is gone was answered, as the holder is told: see `ENDINGS`. */
	private closedBy({ state }: Reading): NodeJS.Signals {
		// Another question in its place tells nothing of this one, either.
		if (this.place.goesOnAfterNo || (state !== 'idle' && state !== 'working')) return 'SIGHUP';
		return state === 'idle' ? 'SIGTERM' : 'SIGUSR2';
	}

	private lookSoon(): void {
		this.soon ??= setTimeout(() => {
			this.soon = undefined;
			this.look();
		}, STEADY_MS).unref();
	}

	private close(signal: NodeJS.Signals): void {
		this.standing?.over.abort();
		this.standing?.guard?.end(signal);
		this.standing = undefined;
	}

	private async open(question: ShownQuestion, key: string): Promise<void> {
		const standing: Standing = { question, key, over: new AbortController(), guard: undefined };
		this.standing = standing;
		const over = standing.over.signal;
		let guard: CalledGuard | undefined;
		while (!guard && !over.aborted) {
			guard = await this.place.ask(question).catch(() => undefined);
			// Its session may not be known yet.
			if (!guard) await sleep(AGAIN_MS);
		}
		// The CLI has closed it meanwhile, and nobody knows how.
		if (!guard || over.aborted) return guard?.end('SIGHUP');
		standing.guard = guard;
		const chosen = ChosenKind.safeParse(parseLine(await guard.printed));
		if (chosen.data?.kind === 'reject_once') await this.deny(standing);
		// Not by this program: the question stands, and nobody holds it.
		else if ((await guard.killed) && !over.aborted) this.askAgain();
	}

	private async deny({ question, key, over }: Standing): Promise<void> {
		const keys = question.options.find(({ means }) => means === 'no')?.keys;
		if (keys === undefined) return this.askAgain();
		const isSeen = () => {
			const reading = this.place.reading();
			return reading !== undefined && this.place.isCurrent() && keyOf(reading) === key;
		};
		// Half a picture does not show it. One that is gone is over.
		while (!over.signal.aborted && (Date.now() - this.typedAt < QUIET_MS || !isSeen())) await sleep(LOOK_MS);
		if (over.signal.aborted) return;
		const letGo = this.place.hold();
		this.place.type(keys);
		try {
			for (const end = Date.now() + CLOSED_MS; Date.now() < end && !over.signal.aborted;) await sleep(LOOK_MS);
		} finally {
			// Keys that were meant for this question answer no other.
			letGo(true);
		}
		// The CLI has not taken the key.
		if (!over.signal.aborted) this.askAgain();
	}

	/** Whoever has answered is asked once more. */
	private askAgain(): void {
		this.standing = undefined;
		this.lookSoon();
	}
}

function keyOf({ question }: Reading): string {
	return question?.state === 'asking' ? JSON.stringify(question) : '';
}
