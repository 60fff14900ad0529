import { clearScreenDown, createInterface, moveCursor, cursorTo, type Interface } from 'node:readline';
import { Readable } from 'node:stream';
import { NancyError } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import type { Completed } from './completions.ts';

/** A terminal tells by these where a pasted text begins and ends. */
const PASTE = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** How long after an answer from elsewhere a line is taken for one to that question, in milliseconds. */
export const DEAF_MS = 1000;

/** So many inputs are remembered. */
const MOST_TYPED = 100;

/** What lines come from. */
export interface LineSource extends AsyncIterable<Uint8Array | string> {
	readonly isTTY?: boolean;
}

export interface PromptedOptions {
	readonly stdin: LineSource;
	readonly prompt: string;
	/** @param line up to the cursor */
	readonly completer: (line: string) => Completed | Promise<Completed>;
	/** Writes lines, also while one is being typed. */
	readonly write: (text: string) => void;
	/** Ctrl-C while nothing is typed. */
	readonly interrupt: () => void;
	/** Esc. */
	readonly escape?: () => void;
	/** No further line comes. */
	readonly ended?: () => void;
	/** Whether somebody takes this line at once: it is no line for {@link PromptedLines.next}, then. */
	readonly taken?: (line: string) => boolean;
	/** Lines that were typed before a question are still lines afterwards. Otherwise they are shown, and dropped. */
	readonly keepsEarly?: boolean;
}

/** The lines that a person types, or that a pipe brings. A pasted text is one of them. */
export class PromptedLines {
	readonly isTerminal: boolean;
	/** Control sequences mean nothing to it. */
	private readonly isDumb = process.env['TERM'] === 'dumb';
	private readonly lines: Interface;
	private readonly waiting: string[] = [];
	private pasted: string[] = [];
	/** What Up brings back, the newest first: texts that were pasted as a whole, and no answers. */
	private readonly typed: string[] = [];
	/** What the terminal brings back by itself: single lines. */
	private history: string[] = [];
	private isPasting = false;
	private isClosed = false;
	/** The line that is being typed is on the screen, behind its prompt. */
	private isShown = false;
	/** Somebody waits for the next line. */
	private isReading = false;
	private wake: () => void = () => {};
	/** Lines that come before are no lines. */
	private deafUntil = 0;
	/** Ends the present question without an answer. */
	private withdraw: (() => void) | undefined;
	/** What is to be said once the terminal is this program's again. */
	private later: (() => void)[] | undefined;

	constructor(private readonly options: PromptedOptions) {
		const { stdin, prompt, completer } = options;
		const input = stdin instanceof Readable ? stdin : Readable.from(stdin);
		this.isTerminal = stdin.isTTY === true && process.stdout.isTTY;
		this.lines = createInterface({
			input,
			...(this.isTerminal && { output: process.stdout }),
			terminal: this.isTerminal,
			prompt,
			completer: (line, done) => void Promise.resolve(completer(line)).then(found => done(null, found), done),
		});
		this.lines.on('history', history => (this.history = history));
		this.lines.on('line', line => this.take(line));
		this.lines.on('close', () => this.end());
		this.lines.on('SIGINT', () => this.interrupt());
		input.on('keypress', (_: string, key?: { name?: string }) => {
			if (key?.name === 'paste-start') this.isPasting = true;
			if (key?.name === 'paste-end') this.isPasting = false;
			if (key?.name === 'escape' && !this.isLent) this.options.escape?.();
			// Nobody waits for it yet: whoever types sees where.
			if (!this.isShown && !this.isPasting && this.lines.line !== '') this.show();
		});
		this.tellPastes(true);
	}

	/** Whether the terminal tells where a pasted text begins and ends. */
	private tellPastes(isOn: boolean): void {
		if (this.isTerminal && !this.isDumb) process.stdout.write(isOn ? PASTE.on : PASTE.off);
	}

	/** Takes a line as if it was typed. A terminal shows it so. */
	put(line: string): void {
		if (this.isClosed) return;
		if (this.isTerminal) this.say(`${this.options.prompt}${visible(line)}`);
		this.waiting.push(line);
		this.wake();
	}

	/** The next line, without blanks around it; `undefined` at the end of all. */
	async next(): Promise<string | undefined> {
		while (this.waiting.length === 0 && !this.isClosed) await this.pause();
		return this.waiting.shift();
	}

	/**
	 * The next line, typed below a question. `undefined` if there is no answer: at Ctrl-C, or at the end of all. What was typed before is no
	 * answer to a question that nobody had seen.
	 * @param over the question is over without one
	 */
	async ask(question: string, over?: AbortSignal): Promise<string | undefined> {
		const prompt = this.lines.getPrompt();
		const early = this.isTerminal ? this.waiting.splice(0) : [];
		const begun = this.lines.line;
		if (this.isTerminal && begun !== '') this.clear();
		const dropped = [...(this.options.keepsEarly === true ? [] : early), begun].filter(Boolean);
		if (this.isTerminal && dropped.length > 0) this.say(`typed too early: ${visible(dropped.join(' '))}`);
		let isWithdrawn = false;
		const withdraw = () => {
			isWithdrawn = true;
			this.wake();
		};
		this.withdraw = withdraw;
		over?.addEventListener('abort', withdraw);
		this.lines.setPrompt(question);
		try {
			while (this.waiting.length === 0 && !this.isClosed && !isWithdrawn && over?.aborted !== true)
				await this.pause();
			return isWithdrawn ? undefined : this.waiting.shift();
		} finally {
			over?.removeEventListener('abort', withdraw);
			this.withdraw = undefined;
			if (this.isShown) this.makeRoom();
			this.lines.setPrompt(prompt);
			if (over?.aborted === true) this.dropLate();
			if (this.options.keepsEarly === true) this.waiting.unshift(...early);
		}
	}

	/** Somebody else has answered while a person typed: what they typed, and send in the next moment, is no line. */
	private dropLate(): void {
		this.deafUntil = Date.now() + DEAF_MS;
		this.waiting.length = 0;
		if (this.isTerminal && this.lines.line !== '') this.clear();
	}

	/** Writes lines, beside one that is being typed. @param write by default to standard output */
	say(text: string, write: (text: string) => void = this.options.write): void {
		this.whenOwn(() => {
			this.makeRoom();
			write(text);
			this.show();
		});
	}

	/** Takes the line that is being typed from the screen, with all its rows. A dumb terminal takes nothing back: there it ends. */
	private makeRoom(): void {
		if (!this.isTerminal) return;
		const rows = this.isShown ? this.lines.getCursorPos().rows : 0;
		if (this.isDumb) {
			if (this.isShown) process.stdout.write('\n');
		} else {
			moveCursor(process.stdout, 0, -rows);
			cursorTo(process.stdout, 0);
			clearScreenDown(process.stdout);
			// Otherwise it would clear the rows above once more.
			Object.assign(this.lines, { prevRows: 0 });
		}
		this.isShown = false;
	}

	/** Does something once the terminal is this program's: at once, if no other one has it. */
	whenOwn(act: () => void): void {
		if (this.later) this.later.push(act);
		else act();
	}

	/** Another program has the terminal meanwhile: nobody else reads or writes there. */
	get isLent(): boolean {
		return this.later !== undefined;
	}

	/**
	 * Gives the terminal to another program.
	 * @param work its signal says that the user has pressed Ctrl-C, which also reaches the program
	 * @throws NancyError `bad-usage` without a terminal
	 */
	async lend<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
		if (!this.isTerminal) throw new NancyError('bad-usage', `${what} needs a terminal`);
		const { stdin } = process;
		const interrupted = new AbortController();
		const interrupt = () => interrupted.abort();
		const later: (() => void)[] = (this.later = []);
		process.on('SIGINT', interrupt);
		try {
			this.lines.pause();
			this.tellPastes(false);
			stdin.setRawMode(false);
			return await work(interrupted.signal);
		} finally {
			this.later = undefined;
			// A terminal that was closed takes no mode any more.
			if (!this.isClosed) {
				stdin.setRawMode(true);
				this.tellPastes(true);
				this.lines.resume();
			}
			process.off('SIGINT', interrupt);
			for (const each of later) each();
		}
	}

	/** No further line comes, and those that wait are dropped. */
	drop(): void {
		this.waiting.length = 0;
		this.end();
	}

	/** No further line comes. */
	end(): void {
		const isFirst = !this.isClosed;
		this.isClosed = true;
		this.wake();
		if (isFirst) this.options.ended?.();
	}

	close(): void {
		this.tellPastes(false);
		this.lines.close();
	}

	private async pause(): Promise<void> {
		const woken = new Promise<void>(resolve => (this.wake = resolve));
		this.isReading = true;
		this.show();
		await woken;
		this.isReading = false;
	}

	private take(line: string): void {
		this.isShown = false;
		// One that Up has brought back may have several lines.
		this.pasted.push(line.replaceAll('\r', '\n'));
		if (this.isPasting) return;
		const text = this.pasted.join('\n').trim();
		this.pasted = [];
		this.remember(text);
		if (text !== '' && Date.now() < this.deafUntil) this.say(`typed too late: ${visible(text)}`);
		else if (text !== '' && (this.withdraw || this.options.taken?.(text) !== true)) this.waiting.push(text);
		this.wake();
	}

	private remember(text: string): void {
		if (text !== '' && !this.withdraw && text !== this.typed[0]) this.typed.unshift(text);
		this.typed.splice(MOST_TYPED);
		this.history.splice(0, this.history.length, ...this.typed);
	}

	private interrupt(): void {
		if (this.isReading && (this.lines.line !== '' || this.pasted.length > 0)) this.clear();
		else if (this.withdraw) this.withdraw();
		else this.options.interrupt();
	}

	/** The whole input: also the lines of a pasted text above the last one. */
	private clear(): void {
		this.pasted = [];
		this.makeRoom();
		Object.assign(this.lines, { line: '', cursor: 0 });
		this.show();
	}

	/** A half-typed line stays as it is, with its cursor. */
	private show(): void {
		if (!this.isTerminal || this.isClosed || !(this.isReading || this.lines.line !== '')) return;
		this.lines.prompt(true);
		if (this.isDumb) process.stdout.write(this.lines.line);
		this.isShown = true;
	}
}
