import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { printedLines, TerminalLines } from '../kit/terminalText.ts';
import type { WorkerStart } from '../ports.ts';

/**
 * What shells print before a command (VS Code's shell integration). VS Code then hands an extension what the program prints, which it does
 * not do otherwise.
 */
const MARKS = String.raw`\033]633;A\007\033]633;B\007\033]633;C\007`;

/** How long after its start an agent's output is read along, in milliseconds. Later its screen is a picture, and no lines. */
const START_MS = 30_000;

/** VS Code hands over what a program printed a moment later: of one that died at once, after its terminal has closed. In milliseconds. */
const LATE_MS = 1000;

/** In UTF-16 units. */
const TAIL = 32_000;

/** Starts the agent with these marks before it. The shell that prints them becomes the agent: the terminal's process is the agent's. */
export function marked({ command, args }: Pick<WorkerStart, 'command' | 'args'>): {
	shellPath: string;
	shellArgs: string[];
} {
	if (process.platform === 'win32') return { shellPath: command, shellArgs: [...args] };
	return { shellPath: '/bin/sh', shellArgs: ['-c', `printf '${MARKS}'; exec "$@"`, 'sh', command, ...args] };
}

/** What agents print in the first moments, for those that fail. */
export class FirstOutput implements vscode.Disposable {
	private readonly tails = new Map<vscode.Terminal, string>();
	/** Each resolves once all of the output has been read. */
	private readonly readings = new Map<vscode.Terminal, Promise<void>>();
	private readonly following = vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
		if (this.tails.get(terminal) === '') this.readings.set(terminal, this.read(terminal, execution));
	});

	follow(terminal: vscode.Terminal): void {
		this.tails.set(terminal, '');
	}

	/** The last lines of an agent that has ended; none if it ran for longer. */
	async end(terminal: vscode.Terminal): Promise<string[]> {
		const reading = this.readings.get(terminal);
		this.readings.delete(terminal);
		if (!this.tails.has(terminal)) return [];
		await Promise.race([reading ?? sleep(LATE_MS), sleep(LATE_MS)]);
		const tail = this.tails.get(terminal) ?? '';
		this.tails.delete(terminal);
		return printedLines(tail);
	}

	dispose(): void {
		this.following.dispose();
	}

	private async read(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
		const deadline = Date.now() + START_MS;
		for await (const text of execution.read()) {
			const known = this.tails.get(terminal);
			if (known === undefined) return;
			if (Date.now() > deadline) break;
			this.tails.set(terminal, `${known}${text}`.slice(-TAIL));
		}
		if (Date.now() > deadline) this.tails.delete(terminal);
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
