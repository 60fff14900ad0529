import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { printedLines, TerminalLines } from '../kit/terminalText.ts';

/** How long after its start an agent's output is read along, in milliseconds. Later its screen is a picture, and no lines. */
const START_MS = 30_000;

/**
 * How long the first line that a program printed is waited for once its terminal has closed, in milliseconds. VS Code hands it over late: of a
 * program that died at once, after the end. On a busy machine that takes seconds.
 */
const LATE_MS = 10_000;
/** What comes within so many milliseconds after a line belongs to it. VS Code tells no end of what a closed terminal printed. */
const QUIET_MS = 500;

/** In UTF-16 units. */
const TAIL = 32_000;

interface Followed {
	tail: string;
	/** Resolves once all of the output has been read. */
	readonly done: Promise<void>;
	/** Undefined once VS Code hands the output over. */
	begin: ((reading: Promise<void>) => void) | undefined;
}

/** What agents print in the first moments, for those that fail. */
export class FirstOutput implements vscode.Disposable {
	private readonly followed = new Map<vscode.Terminal, Followed>();
	private readonly following = vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
		const followed = this.followed.get(terminal);
		followed?.begin?.(this.read(terminal, followed, execution));
	});

	follow(terminal: vscode.Terminal): void {
		let begin: Followed['begin'];
		const done = new Promise<void>(resolve => {
			begin = reading => resolve(reading);
		});
		this.followed.set(terminal, { tail: '', done, begin });
	}

	/** The last lines of an agent that has ended; none if it ran for longer. */
	async end(terminal: vscode.Terminal): Promise<string[]> {
		const followed = this.followed.get(terminal);
		if (!followed) return [];
		const isDone = followed.done.then(() => true);
		const deadline = Date.now() + LATE_MS;
		for (let before = '', isOver = false; !isOver && Date.now() < deadline;) {
			isOver = await Promise.race([isDone, sleep(QUIET_MS, false)]);
			isOver ||= followed.tail === before && printedLines(before).length > 0;
			before = followed.tail;
		}
		this.followed.delete(terminal);
		return printedLines(followed.tail);
	}

	/** For an agent that did not fail. */
	forget(terminal: vscode.Terminal): void {
		this.followed.delete(terminal);
	}

	dispose(): void {
		this.following.dispose();
	}

	private async read(
		terminal: vscode.Terminal,
		followed: Followed,
		execution: vscode.TerminalShellExecution,
	): Promise<void> {
		// What a later command of the terminal prints is not the agent's.
		followed.begin = undefined;
		const deadline = Date.now() + START_MS;
		for await (const text of execution.read()) {
			if (Date.now() > deadline) break;
			if (!this.followed.has(terminal)) return;
			followed.tail = `${followed.tail}${text}`.slice(-TAIL);
		}
		if (Date.now() > deadline) this.followed.delete(terminal);
	}
}

/** A terminal in the place of one whose agent has failed: what it printed, and how it ended. */
export class LastLines implements vscode.Pseudoterminal {
	private readonly screen = new TerminalLines();
	readonly onDidWrite = this.screen.onDidWrite;

	constructor(
		private readonly lines: readonly string[],
		private readonly code: number,
	) {}

	open(): void {
		for (const line of this.lines) this.screen.print(line);
		this.screen.print(['red', l10n.t('The agent ended with exit code {0}.', this.code)]);
	}

	close(): void {
		// Nothing runs.
	}
}
