import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../base/counted.ts';
import { NancyError } from '../base/errors.ts';
import { failureOf } from '../operations/shared/failure.ts';
import { ErrorOutput } from '../protocol/output/failure.ts';
import type { ExtractedOutput, NotesOutput, ProjectsOutput, ProjectTaskOutput } from '../protocol/output/memory.ts';
import type { SessionId } from '../protocol/names.ts';
import type { Context } from './command.ts';
import { extractedLine, historyLines, noNotesLine, noteLines, notesFileOf, projectLine } from './projectWords.ts';
import { PromptedLines } from '../conversations/promptedLines.ts';
import { reviewWaiting, type Reviewing } from './replReview.ts';
import { COMMANDS, completed, help } from './replWords.ts';

/** How the next task is run. */
export interface TaskOptions {
	agent: string | undefined;
	mode: 'fresh' | 'summary' | 'full';
	/** The conversation to continue. */
	resume: SessionId | undefined;
}

/** What a session asks for. */
export interface ProjectDesk extends Reviewing {
	task(
		prompt: string,
		options: TaskOptions,
		show: (line: string) => void,
		signal: AbortSignal,
	): Promise<ProjectTaskOutput>;
	/**
	 * Runs the agent itself in this terminal.
	 * @param prompt its first one; without it the agent waits for the user
	 * @param signal begins nothing more
	 */
	interactive(prompt: string | undefined, options: TaskOptions, signal: AbortSignal): Promise<ProjectTaskOutput>;
	/** @param task by default the oldest that is due */
	extract(task: number | undefined, signal: AbortSignal): Promise<ExtractedOutput>;
	projects(): Promise<ProjectsOutput>;
	notes(): Promise<NotesOutput>;
	/** @throws NancyError `bad-usage` for an agent that Nancy does not know */
	requireAgent(agent: string): void;
}

/** How long a task waits for the notes of the one before, in milliseconds. */
const PATIENCE_MS = 20_000;

/** A line, or a pasted block, is a task. Ctrl-C breaks off the task and not the session. */
export class Repl {
	private readonly lines: PromptedLines;
	private running: AbortController | undefined;
	private extracting: Promise<void> = Promise.resolve();
	/** Tasks whose notes this session has made. */
	private readonly extracted = new Set<number>();
	private readonly extraction = new AbortController();

	constructor(
		private readonly context: Pick<Context, 'stdin' | 'wantsJson' | 'send' | 'writeLine' | 'writeError' | 'note'>,
		private readonly desk: ProjectDesk,
		private readonly options: TaskOptions,
		name: string,
	) {
		this.lines = new PromptedLines({
			stdin: context.stdin,
			prompt: `${name}> `,
			completer: completed,
			write: text => context.writeLine(text),
			interrupt: () => (this.running ? this.running.abort() : this.say('/done ends the session')),
		});
	}

	/** Whether a signal ends the session. Ctrl-C in another program in this terminal is for that program. */
	isEndedBy(signal: NodeJS.Signals): boolean {
		return signal !== 'SIGINT' || !this.lines.isLent;
	}

	/**
	 * Resolves when the session is over.
	 * @param first the first task
	 * @param hasDue tasks of earlier sessions wait for their notes
	 */
	async run(signal: AbortSignal, { first, hasDue }: { first?: string | undefined; hasDue: boolean }): Promise<void> {
		if (first !== undefined) this.lines.put(first);
		signal.addEventListener('abort', () => this.quit(), { once: true });
		if (hasDue) this.extracting = this.extractDue();
		try {
			for (let text = await this.lines.next(); text !== undefined; text = await this.lines.next())
				await this.handle(text);
			await this.extracting;
		} finally {
			this.lines.close();
		}
	}

	private quit(): void {
		this.running?.abort();
		this.extraction.abort();
		this.lines.drop();
	}

	/** A failure ends the task and not the session. */
	private async handle(text: string): Promise<void> {
		try {
			const [word = ''] = text.split(/\s+/);
			if (Object.hasOwn(COMMANDS, word)) await this.obey(word, text.slice(word.length).trim() || undefined);
			else if (/^\/[\w-]*$/.test(word))
				throw new NancyError('bad-usage', `there is no ${word}. There are:\n${help()}`);
			else await this.task(text);
		} catch (error) {
			this.fail(error);
		}
	}

	private async obey(word: string, argument: string | undefined): Promise<void> {
		const { desk, options } = this;
		switch (word) {
			case '/status': {
				const found = await desk.projects();
				return this.answer(found, found.projects.map(projectLine));
			}
			case '/notes': {
				const file = notesFileOf(argument);
				const found = await desk.notes();
				return this.answer(found, noteLines(found, file, false));
			}
			case '/review':
				return this.review();
			case '/history': {
				const found = await desk.notes();
				return this.answer(found, historyLines(found));
			}
			case '/continue':
				options.mode = 'full';
				return this.say('the next task continues the conversation');
			case '/compact':
				options.mode = 'summary';
				options.resume = undefined;
				return this.say('the next task begins anew, with a summary');
			case '/interactive':
				return this.interactive(argument);
			case '/agent':
				if (argument !== undefined) desk.requireAgent(argument);
				options.agent = argument;
				options.resume = undefined;
				return this.say(`the next task is for ${argument ?? 'the first agent that is found'}`);
			case '/done':
				return this.lines.drop();
			default:
				return this.quit();
		}
	}

	/** Under `--json` a program decides by `nancy notes accept` and `reject`. */
	private async review(): Promise<void> {
		const found = await this.desk.notes();
		if (this.context.wantsJson) return this.answer(found, []);
		await reviewWaiting(found, this.lines, this.desk, error => this.fail(error));
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
			this.report(done);
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

	private async interactive(prompt: string | undefined): Promise<void> {
		await this.lastNotes();
		const done = await this.lines.lend('the agent itself', signal =>
			this.desk.interactive(prompt, this.options, signal),
		);
		this.options.resume = done.session;
		this.report(done);
	}

	private report(done: ProjectTaskOutput): void {
		const told = done.told === 0 ? '' : `, told ${counted(done.told, 'note')} (≈${done.aboutTokens} tokens)`;
		const words = noNotesLine(done);
		const why = words === undefined ? '' : `; no notes: ${words}`;
		if (done.reason !== undefined) this.context.note(done.reason);
		this.answer(done, [`task ${done.task} is saved${told}${why}`]);
		if (done.extraction !== 'due') return;
		this.extracting = this.extracting.then(async () => void (await this.extract(done.task)));
	}

	/** Makes the notes of earlier sessions, until one fails. */
	private async extractDue(): Promise<void> {
		while ((await this.extract(undefined)) === 'merged');
	}

	private async extract(task: number | undefined): Promise<ExtractedOutput['state'] | undefined> {
		// The notes of earlier sessions are made one after the other, and the newest task may have been among them.
		if (this.extraction.signal.aborted || (task !== undefined && this.extracted.has(task))) return undefined;
		try {
			const done = await this.desk.extract(task, this.extraction.signal);
			if (done.task !== undefined) this.extracted.add(done.task);
			if (task !== undefined || done.state !== 'none') this.answer(done, [extractedLine(done)]);
			return done.state;
		} catch (error) {
			this.fail(error);
			return undefined;
		}
	}

	/** As a failed command says it. */
	private fail(error: unknown): void {
		const { code, message } = failureOf(error);
		const said = String(message);
		const json = () => JSON.stringify(ErrorOutput.parse({ error: { code, message: said } }));
		if (this.context.wantsJson) this.lines.say(json(), text => this.context.writeError(text));
		else this.lines.say(said, text => this.context.note(text));
	}

	/** One line of JSON, or text for a person. */
	private answer(json: unknown, lines: readonly string[]): void {
		if (this.context.wantsJson) this.lines.say(JSON.stringify(json), text => void this.context.send(text));
		else this.lines.say(lines.join('\n'));
	}

	private say(text: string): void {
		if (!this.context.wantsJson) this.lines.say(text);
	}
}
