import { setTimeout as sleep } from 'node:timers/promises';
import type { CalledGuard } from '../../core/driver/calledGuard.ts';
import { WAKE_PROMPT } from '../../core/driver/hooks.ts';
import type { InputLine } from './seenScreen.ts';

/** What stands between the terminal and the CLI, as far as a wake needs it. */
export interface WakePlace {
	/** The key that sends what is typed. */
	readonly sends: string;
	inputLine(): InputLine | undefined;
	type(text: string): void;
	/** Holds back what the user types. @returns to let go of it, or to drop it with a bell */
	hold(): (isDropped: boolean) => void;
	/** Begins to wait until a message is worth a turn; `undefined` where nothing can wait. */
	listen(): Promise<CalledGuard | undefined>;
}

/** For so long the user must have typed nothing, in milliseconds: keys are on the screen later than they are typed. */
const QUIET_MS = 1000;

/** How long words may take until they are on the screen, in milliseconds. A CLI that starts or compacts is slow. */
const SHOWN_MS = 5000;
const LOOK_MS = 30;

/** If no input line is seen for so long, something else has taken its place, in milliseconds: a question, say. */
const GONE_MS = 300;

/** After a wait that nobody may have, or a wake that the CLI did not take, in milliseconds. */
const AGAIN_MS = 30_000;

const BACKSPACE = '\u007f';
const ESCAPE = '\u001b';
const BELL = '\u0007';
const PASTE = { begins: `${ESCAPE}[200~`, ends: `${ESCAPE}[201~` };

/**
 * What a terminal sends by itself: where the mouse is, whether it has the focus, and its answers to questions. A person has typed everything
 * else.
 */
const BY_ITSELF = new RegExp(
	String.raw`${ESCAPE}(?:\[<\d+;\d+;\d+[Mm]|\[[IO]|\[[?>]?[\d;$]*[cRnty]|\[\?\d+u|[\]P][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\))`,
	'g',
);

/**
 * Wakes an idle CLI by typing into its input line. It waits for a message only while the line is seen to be empty. A draft ends the wait,
 * so a draft is never touched. The message itself comes by the hook of the prompt.
 */
export class TypedWake {
	private typedAt = 0;
	private soon: NodeJS.Timeout | undefined;
	private listening: AbortController | undefined;
	private deafUntil = 0;
	private isTyping = false;
	/** The words may stand in the line, and were not sent. */
	private isLeft = false;
	private isPasting = false;
	/** The end of what came last: a sequence may come in two pieces. */
	private tail = '';

	constructor(private readonly place: WakePlace) {}

	/** The screen has changed. */
	changed(): void {
		this.lookIn(QUIET_MS);
	}

	/** Bytes have come from the terminal. */
	input(bytes: Uint8Array): void {
		if (Buffer.from(bytes).toString('latin1').replace(BY_ITSELF, '') === '') return;
		this.typedAt = Date.now();
		this.notePaste(bytes);
		// Whatever the user makes of the words is the user's.
		if (!this.isTyping) this.isLeft = false;
		this.stopListening();
		this.lookIn(QUIET_MS);
	}

	/** A pasted text may come in pieces, and a CLI shows nothing of it before its end. */
	private notePaste(bytes: Uint8Array): void {
		const text = this.tail + Buffer.from(bytes).toString('latin1');
		const [begins, ends] = [text.lastIndexOf(PASTE.begins), text.lastIndexOf(PASTE.ends)];
		if (begins !== ends) this.isPasting = begins > ends;
		this.tail = text.slice(-PASTE.begins.length);
	}

	/** The CLI has ended. */
	end(): void {
		clearTimeout(this.soon);
		this.stopListening();
		this.deafUntil = Infinity;
	}

	private lookIn(ms: number): void {
		this.soon ??= setTimeout(() => {
			this.soon = undefined;
			if (!this.isTyping) this.look();
		}, ms).unref();
	}

	private look(): void {
		if (!this.isQuiet()) return this.lookIn(QUIET_MS);
		if (this.isLeft) void this.takeBack();
		if (!this.place.inputLine()?.isFree) return this.stopListening();
		if (!this.listening && Date.now() >= this.deafUntil) void this.listen();
	}

	private isQuiet(): boolean {
		return !this.isPasting && Date.now() - this.typedAt >= QUIET_MS;
	}

	private async listen(): Promise<void> {
		const listening = (this.listening = new AbortController());
		const guard = await this.place.listen().catch(() => undefined);
		listening.signal.addEventListener('abort', () => guard?.end('SIGTERM'));
		if (listening.signal.aborted) return guard?.end('SIGTERM');
		const words = await guard?.woken;
		if (listening.signal.aborted) return;
		this.listening = undefined;
		if (words === undefined) this.pause();
		else if (this.isQuiet() && this.place.inputLine()?.isFree) await this.wake();
		else this.lookIn(QUIET_MS);
	}

	private stopListening(): void {
		this.listening?.abort();
		this.listening = undefined;
	}

	/** Nobody asks in a loop. */
	private pause(): void {
		this.deafUntil = Date.now() + AGAIN_MS;
		clearTimeout(this.soon);
		this.soon = undefined;
		this.lookIn(AGAIN_MS);
	}

	private async wake(): Promise<void> {
		this.isTyping = true;
		const letGo = this.place.hold();
		try {
			this.place.type(WAKE_PROMPT);
			this.isLeft = true;
			if (await this.shows(isWake)) {
				// By itself: a CLI may take keys that come at once for a paste.
				this.place.type(this.place.sends);
				this.isLeft = !(await this.shows(typed => !isWake(typed)));
			}
			// Behind the words, and in front of what is held back: the CLI reads all in this order, however late.
			if (this.isLeft && this.place.inputLine()) await this.remove();
		} finally {
			// Keys that were meant for the input line answer no question.
			letGo(!(await this.shows(() => true)));
			this.isTyping = false;
			if (this.isLeft) this.pause();
			else this.lookIn(QUIET_MS);
		}
	}

	/** Removes the words, and nothing in front of them. Where they are not at the end, it leaves everything as it is. */
	private async takeBack(): Promise<void> {
		if (endsWithWake(this.place.inputLine()?.typed)) await this.remove();
	}

	private async remove(): Promise<void> {
		this.isLeft = false;
		for (const _ of WAKE_PROMPT) this.place.type(BACKSPACE);
		await this.shows(typed => !endsWithWake(typed));
	}

	private async shows(is: (typed: string) => boolean): Promise<boolean> {
		let seenAt = Date.now();
		for (const end = seenAt + SHOWN_MS; Date.now() < end; await sleep(LOOK_MS)) {
			const line = this.place.inputLine();
			if (line && is(line.typed)) return true;
			if (line) seenAt = Date.now();
			else if (Date.now() - seenAt > GONE_MS) return false;
		}
		return false;
	}
}

/** Whatever lines the screen has broken them into. */
const withoutBlanks = (text = '') => text.replace(/\s/g, '');
const WAKE = withoutBlanks(WAKE_PROMPT);
const isWake = (typed: string | undefined) => withoutBlanks(typed) === WAKE;
const endsWithWake = (typed: string | undefined) => withoutBlanks(typed).endsWith(WAKE);
