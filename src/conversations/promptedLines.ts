import { clearScreenDown, createInterface, moveCursor, cursorTo, type Interface } from 'node:readline';
import { Readable } from 'node:stream';
import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { NancyError } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import { InputHistory } from './inputHistory.ts';
import { Deafness } from './deafness.ts';
import type { PromptedOptions } from './promptedOptions.ts';
import { endOfRow, styled } from './style.ts';

/** The lines that a person types, or that a pipe brings. A pasted text is one of them. */
export class PromptedLines {
	readonly isTerminal: boolean;
	/** Control sequences mean nothing to it. */
	private readonly isDumb = process.env['TERM'] === 'dumb';
	private readonly lines: Interface;
	private readonly waiting: string[] = [];
	private pasted: string[] = [];
	private readonly history = new InputHistory();
	private isPasting = false;
	private isClosed = false;
	/** The line that is being typed is on the screen, behind its prompt. */
	private isShown = false;
	/** Those that wait for a line. */
	private readonly readers = new Set<() => void>();
	private readonly deaf = new Deafness();
	/** A question stands there. It may wait for the end of the line that is being typed. */
	private isAsking = false;
	/** The question that is answered now: the lines below it, and its end without an answer. */
	private asked: { readonly answers: string[]; readonly withdraw: () => void } | undefined;
	/** The text of the row below all, as it was drawn. */
	private drawn = '';
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
			history: this.history.shown,
			completer: (line, done) => void Promise.resolve(completer(line)).then(found => done(null, found), done),
		});
		this.lines.on('line', line => this.take(line));
		this.lines.on('close', () => this.end());
		this.lines.on('SIGINT', () => this.interrupt());
		// Readline would give up raw mode, and the session's first program is never continued.
		this.lines.on('SIGTSTP', () => undefined);
		// Readline goes on where the cursor is, and draws its line anew when the size changes.
		if (this.isTerminal && this.options.below) {
			input.prependListener('keypress', () => this.isTyping || this.isShown || this.isLent || this.makeRoom());
			process.stdout.on('resize', () => this.isClosed || this.renew(false));
		}
		input.on('keypress', (_: string, key?: { name?: string }) => {
			if (key?.name?.startsWith('paste-')) this.isPasting = key.name === 'paste-start';
			if (key?.name === 'escape' && !this.isLent && !this.isPasting) this.options.escape?.();
			if (this.isTyping) this.deaf.typed();
			// Nobody waits for it yet: whoever types sees where.
			if (!this.isShown && !this.isPasting && this.lines.line !== '') this.show();
			if (this.isAsking && !this.isTyping) this.wake();
			// An emptied line gives way again.
			if (this.isShown && !this.isTyping && this.readers.size === 0) this.makeRoom();
			this.renew();
		});
		this.tellPastes(true);
	}

	/** Whether the terminal tells where a pasted text begins and ends. */
	private tellPastes(isOn: boolean): void {
		if (this.isTerminal && !this.isDumb) process.stdout.write(`\u001b[?2004${isOn ? 'h' : 'l'}`);
	}

	/** Takes a line as if it was typed. A terminal shows it so, and takes it for no answer. */
	put(line: string): void {
		if (this.isClosed) return;
		this.waiting.push(line);
		this.wake();
		if (this.isTerminal) this.say(`${this.options.prompt}${visible(line)}`);
	}

	/** The next line, without blanks around it, once nobody is asked; `undefined` at the end of all. */
	async next(): Promise<string | undefined> {
		while ((this.isAsking || this.waiting.length === 0) && !this.isClosed) await this.pause();
		return this.waiting.shift();
	}

	/**
	 * The next line, typed below a question. `undefined` if there is no answer: at Ctrl-C, or at the end of all. A line that was begun before
	 * answers no question that nobody had seen: the question waits for its end.
	 * @param over the question is over without one
	 */
	async ask(question: string, over?: AbortSignal): Promise<string | undefined> {
		const withdrawn = new AbortController();
		const end = AbortSignal.any([withdrawn.signal, ...(over ? [over] : [])]);
		end.addEventListener('abort', () => this.wake());
		const prompt = this.lines.getPrompt();
		// Nobody knows when a line of a pipe was written.
		const answers = this.isTerminal ? [] : this.waiting;
		this.isAsking = true;
		try {
			if (this.isTerminal) await this.drafted(end);
			if (end.aborted) return undefined;
			this.asked = { answers, withdraw: () => withdrawn.abort() };
			this.become(question);
			while (answers.length === 0 && !this.isClosed && !end.aborted) await this.pause();
			return end.aborted ? undefined : answers.shift();
		} finally {
			this.become(prompt);
			if (this.asked && over?.aborted === true) this.dropLate(answers);
			if (this.isTerminal) this.waiting.push(...answers);
			this.asked = undefined;
			this.isAsking = false;
			this.show();
			this.wake();
			this.renew();
		}
	}

	/** Until the line that is being typed is sent, put aside or empty. */
	private async drafted(end: AbortSignal): Promise<void> {
		// The terminal may hold keys that were not read yet.
		await turnOfEvents();
		if (this.isTyping)
			this.say('First end your line, with Enter or Ctrl-C: it is no answer. The Up key brings it back.');
		while (this.isTyping && !this.isClosed && !end.aborted) await this.pause();
		if (this.options.keepsEarly !== true && this.waiting.length > 0)
			this.say(`typed too early: ${visible(this.waiting.splice(0).join(' '))}`);
	}

	/** Has another prompt before the line that is being typed. */
	private become(prompt: string): void {
		if (this.isShown) this.makeRoom();
		this.lines.setPrompt(prompt);
	}

	/** Somebody else has answered while a person typed. */
	private dropLate(answers: string[]): void {
		this.deaf.begin();
		answers.length = 0;
		if (this.isTerminal && this.lines.line !== '') this.clear();
	}

	/** Writes lines, beside one that is being typed. @param write by default to standard output */
	say(text: string, write: (text: string) => void = this.options.write): void {
		this.whenOwn(() => {
			this.makeRoom();
			write(text);
			this.show();
			this.options.said?.();
		});
	}

	/** Draws the row below all anew, unless a line is typed there. @param isThere false if the screen may show what was not drawn */
	renew(isThere = true): void {
		if (!this.isTerminal || this.isLent || this.isShown || this.isDumb || this.isTyping) return;
		const { text, style } = (this.isClosed ? undefined : this.options.below?.()) ?? { text: '' };
		// A screen reader reads each change.
		if (isThere && text === this.drawn) return;
		this.makeRoom();
		process.stdout.write(styled(endOfRow(text, process.stdout.columns), style));
		this.drawn = text;
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
		this.drawn = '';
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
		const woken = new Promise<void>(resolve => this.readers.add(resolve));
		this.show();
		await woken;
	}

	private wake(): void {
		for (const each of this.readers) each();
		this.readers.clear();
	}

	private get isTyping(): boolean {
		return this.isPasting || this.lines.line !== '' || this.pasted.length > 0;
	}

	private take(line: string): void {
		this.isShown = false;
		// One that Up has brought back may have several lines.
		this.pasted.push(line.replaceAll('\r', '\n'));
		if (this.isPasting) return;
		const text = this.pasted.join('\n').trim();
		this.pasted = [];
		const answers = this.asked?.answers;
		this.history.remember(answers ? '' : text);
		const isLate = this.deaf.drops(answers !== undefined);
		if (text !== '' && isLate) this.say(`typed too late: ${visible(text)}`);
		else if (text !== '' && (answers || this.options.taken?.(text) !== true)) (answers ?? this.waiting).push(text);
		this.wake();
		this.renew();
	}

	private interrupt(): void {
		if (this.isAsking && !this.asked) this.history.remember([...this.pasted, this.lines.line].join('\n').trim());
		if (this.readers.size > 0 && this.isTyping) this.clear();
		else if (this.asked) this.asked.withdraw();
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
		if (!this.isTerminal || this.isClosed || this.isShown) return;
		if (this.readers.size === 0 && this.lines.line === '') return;
		this.lines.prompt(true);
		this.drawn = '';
		if (this.isDumb) process.stdout.write(this.lines.line);
		this.isShown = true;
	}
}
