import { createInterface, clearLine, cursorTo, type Interface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, NancyError } from '../base/errors.ts';
import type { ExtractedOutput, NotesOutput, ProjectsOutput, ProjectTaskOutput } from '../protocol/output/memory.ts';
import type { SessionId } from '../protocol/names.ts';
import type { Context } from './command.ts';
import { extractedLine, historyLines, noteLines, projectLine } from './projectWords.ts';
import { printableLine } from './words.ts';

/** How the next task is run. */
export interface TaskOptions {
	agent: string | undefined;
	mode: 'fresh' | 'summary' | 'full';
	/** The conversation to continue. */
	resume: SessionId | undefined;
}

/** What a session asks for. */
interface ProjectDesk {
	task(
		prompt: string,
		options: TaskOptions,
		show: (line: string) => void,
		signal: AbortSignal,
	): Promise<ProjectTaskOutput>;
	/** Runs the agent itself in this terminal. @param prompt its first one; without it the agent waits for the user */
	interactive(prompt: string | undefined, options: TaskOptions): Promise<ProjectTaskOutput>;
	extract(task: number, signal: AbortSignal): Promise<ExtractedOutput>;
	projects(): Promise<ProjectsOutput>;
	notes(): Promise<NotesOutput>;
}

/** How long a task waits for the notes of the one before, in milliseconds. */
const PATIENCE_MS = 20_000;
/** A terminal tells by these where a pasted text begins and ends. */
const PASTE = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

const COMMANDS = {
	'/status': 'the project',
	'/notes': 'its notes, of one category if you name it',
	'/review': 'what waits for you',
	'/history': 'its tasks',
	'/continue': 'the next tasks continue the conversation',
	'/compact': 'the next task begins anew, with a summary of the ones before',
	'/interactive': 'one task in the agent itself, which you leave to come back',
	'/agent': 'names the agent of the next tasks',
	'/done': 'ends, once the notes are made',
	'/quit': 'ends at once; nancy extract makes the notes later',
};

/** A line, or a pasted block, is a task. Ctrl-C breaks off the task and not the session. */
export class Repl {
	private readonly lines: Interface;
	private readonly isTerminal: boolean;
	private readonly waiting: string[] = [];
	private pasted: string[] = [];
	private isPasting = false;
	private isClosed = false;
	private running: AbortController | undefined;
	private extracting: Promise<void> = Promise.resolve();
	private readonly extraction = new AbortController();
	private wake: () => void = () => {};
	/** What is to be said once the agent has left the terminal. */
	private later: (() => void)[] | undefined;

	constructor(
		private readonly context: Pick<Context, 'stdin' | 'wantsJson' | 'send' | 'writeLine' | 'note'>,
		private readonly desk: ProjectDesk,
		private readonly options: TaskOptions,
		name: string,
	) {
		const { stdin } = context;
		const input = stdin instanceof Readable ? stdin : Readable.from(stdin);
		this.isTerminal = stdin.isTTY === true && process.stdout.isTTY;
		this.lines = createInterface({
			input,
			...(this.isTerminal && { output: process.stdout }),
			terminal: this.isTerminal,
			prompt: `${name}> `,
			completer: completed,
		});
		this.lines.on('line', line => this.take(line));
		this.lines.on('close', () => this.close());
		this.lines.on('SIGINT', () => this.interrupt());
		input.on('keypress', (_: string, key?: { name?: string }) => {
			if (key?.name === 'paste-start') this.isPasting = true;
			if (key?.name === 'paste-end') this.isPasting = false;
		});
	}

	/** Resolves when the session is over. @param first the first task */
	async run(signal: AbortSignal, first?: string): Promise<void> {
		if (first !== undefined) this.waiting.push(first);
		signal.addEventListener('abort', () => this.quit(), { once: true });
		if (this.isTerminal) process.stdout.write(PASTE.on);
		try {
			for (;;) {
				const next = this.waiting.shift();
				if (next !== undefined) await this.handle(next);
				else if (this.isClosed) break;
				else await this.pause();
			}
			await this.extracting;
		} finally {
			if (this.isTerminal) process.stdout.write(PASTE.off);
			this.lines.close();
		}
	}

	private pause(): Promise<void> {
		const woken = new Promise<void>(resolve => (this.wake = resolve));
		if (this.isTerminal) this.lines.prompt();
		return woken;
	}

	private take(line: string): void {
		this.pasted.push(line);
		if (this.isPasting) return;
		const text = this.pasted.join('\n').trim();
		this.pasted = [];
		if (text === '') this.show();
		else this.waiting.push(text);
		this.wake();
	}

	private close(): void {
		this.isClosed = true;
		this.wake();
	}

	private interrupt(): void {
		if (this.running) this.running.abort();
		else if (this.lines.line !== '' || this.pasted.length > 0) this.clear();
		else this.say('/done ends the session');
	}

	/** The whole input: also the lines of a pasted text above the last one. */
	private clear(): void {
		this.pasted = [];
		this.lines.write(null, { ctrl: true, name: 'e' });
		this.lines.write(null, { ctrl: true, name: 'u' });
		this.lines.prompt();
	}

	private quit(): void {
		this.waiting.length = 0;
		this.running?.abort();
		this.extraction.abort();
		this.close();
	}

	/** A failure ends the task and not the session. */
	private async handle(text: string): Promise<void> {
		try {
			const [word = ''] = text.split(/\s+/);
			if (Object.hasOwn(COMMANDS, word)) await this.obey(word, text.slice(word.length).trim() || undefined);
			else if (/^\/\w*$/.test(word)) this.say(help());
			else await this.task(text);
		} catch (error) {
			this.context.note(errorText(error));
		}
	}

	private async obey(word: string, argument: string | undefined): Promise<void> {
		const { desk } = this;
		switch (word) {
			case '/status':
				return this.say((await desk.projects()).projects.map(projectLine).join('\n'));
			case '/notes':
				return this.say(noteLines(await desk.notes(), argument, false).join('\n'));
			case '/review':
				return this.say(noteLines(await desk.notes(), undefined, true).join('\n'));
			case '/history':
				return this.say(historyLines(await desk.notes()).join('\n'));
			case '/continue':
				this.options.mode = 'full';
				return this.say('the next task continues the conversation');
			case '/compact':
				this.options.mode = 'summary';
				this.options.resume = undefined;
				return this.say('the next task begins anew, with a summary');
			case '/interactive':
				return this.interactive(argument);
			case '/agent':
				this.options.agent = argument;
				this.options.resume = undefined;
				return this.say(`the next task is for ${argument ?? 'the first agent that is found'}`);
			case '/done':
				return this.close();
			default:
				return this.quit();
		}
	}

	private async task(prompt: string): Promise<void> {
		await this.lastNotes();
		const running = (this.running = new AbortController());
		const show = (line: string) => {
			if (!this.context.wantsJson) this.context.writeLine(line);
		};
		try {
			const done = await this.desk.task(prompt, this.options, show, running.signal);
			this.options.resume = done.session ?? this.options.resume;
			await this.report(done);
		} finally {
			this.running = undefined;
		}
	}

	/** Waits for the notes of the task before, which the next one is told. @throws NancyError `wrong-state` once the user waits no more */
	private async lastNotes(): Promise<void> {
		const { signal } = (this.running = new AbortController());
		const ended = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
		await Promise.race([this.extracting, ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
		this.running = undefined;
		if (signal.aborted || this.extraction.signal.aborted) throw new NancyError('wrong-state', 'no task was begun');
	}

	/** The terminal is the agent's meanwhile: nobody else reads or writes there. */
	private async interactive(prompt: string | undefined): Promise<void> {
		const { stdin } = process;
		if (!this.isTerminal) throw new NancyError('bad-usage', 'the agent itself needs a terminal');
		await this.lastNotes();
		const later: (() => void)[] = (this.later = []);
		this.lines.pause();
		process.stdout.write(PASTE.off);
		stdin.setRawMode(false);
		try {
			const done = await this.desk.interactive(prompt, this.options);
			this.options.resume = done.session;
			later.push(() => void this.report(done));
		} finally {
			this.later = undefined;
			// A terminal that was closed takes no mode any more.
			if (!this.isClosed) {
				stdin.setRawMode(true);
				process.stdout.write(PASTE.on);
				this.lines.resume();
			}
			for (const each of later) each();
		}
	}

	private async report(done: ProjectTaskOutput): Promise<void> {
		if (this.context.wantsJson) await this.context.send(JSON.stringify(done));
		if (done.reason !== undefined) this.context.note(done.reason);
		const told = done.told === 0 ? '' : `, told ${done.told} notes (≈${done.aboutTokens} tokens)`;
		const why = done.why === undefined ? '' : `; no notes: ${printableLine(done.why)}`;
		this.say(`task ${done.task} is saved${told}${why}`);
		if (done.extraction === 'due') this.extracting = this.extracting.then(() => this.extract(done.task));
	}

	private async extract(task: number): Promise<void> {
		if (this.extraction.signal.aborted) return;
		try {
			const done = await this.desk.extract(task, this.extraction.signal);
			if (this.context.wantsJson) await this.context.send(JSON.stringify(done));
			this.say(extractedLine(done));
		} catch (error) {
			this.note(errorText(error));
		}
	}

	private note(text: string): void {
		if (this.later) this.later.push(() => this.note(text));
		else this.context.note(text);
	}

	/** Beside a line that is being typed. */
	private say(text: string): void {
		if (this.context.wantsJson) return;
		if (this.later) {
			this.later.push(() => this.say(text));
			return;
		}
		if (this.isTerminal) {
			cursorTo(process.stdout, 0);
			clearLine(process.stdout, 0);
		}
		this.context.writeLine(text);
		this.show();
	}

	private show(): void {
		if (this.isTerminal && !this.running && !this.isClosed) this.lines.prompt(true);
	}
}

function completed(line: string): [string[], string] {
	return [line.startsWith('/') ? Object.keys(COMMANDS).filter(each => each.startsWith(line)) : [], line];
}

function help(): string {
	return Object.entries(COMMANDS)
		.map(([word, does]) => `${word.padEnd(10)} ${does}`)
		.join('\n');
}
