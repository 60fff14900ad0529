import { watch, type FSWatcher } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { beginningOf } from '../../core/delegates/beginningOf.ts';
import { isFinal, type Delegate } from '../../core/delegates/delegate.ts';
import type { Delegates } from '../../core/delegates/delegates.ts';
import type { DelegateFiles } from '../../core/delegates/files.ts';
import { sealedOutput } from '../../core/delegates/reportable.ts';
import { Tickets } from '../../core/delegates/tickets.ts';
import { openPlainFile } from '../../core/files/plainFile.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import { delegateLine, outputChanged, shortTitle } from './delegateWords.ts';
import type { DelegateItem } from './delegatesView.ts';
import { openTerminal } from '../kit/terminals.ts';
import { LineSplitter, plainLines, TerminalLines, type Piece } from '../kit/terminalText.ts';
import { errorWords } from '../kit/translated.ts';

/** How often to look for new text, in case the system reports no change, in milliseconds. */
const POLL_MS = 1000;
/** The longest part of a log that is shown, in bytes. Only the end of a longer log is shown. */
const LOG_SHOWN = 2 * 1024 * 1024;
const ANSWER_SHOWN = 1024 * 1024;
const CHUNK = 64 * 1024;

/** The output of an ended delegate. `undefined` if somebody has changed it: see {@link sealedOutput}. */
export function outputOf({ workspace }: Delegates, delegate: Delegate): Promise<string | undefined> {
	return sealedOutput(new Tickets(workspace.own.dataFolder, workspace.folder), delegate);
}

/** The terminals that show the output of delegates. Closing one does not end the delegate. */
export class DelegateOutputs implements vscode.Disposable {
	private readonly terminals = new Map<DelegateId, vscode.Terminal>();
	private readonly closing: vscode.Disposable;

	constructor() {
		this.closing = vscode.window.onDidCloseTerminal(terminal => {
			for (const [id, each] of this.terminals) if (each === terminal) this.terminals.delete(id);
		});
	}

	show({ delegate }: DelegateItem, store: Delegates): void {
		const { record } = delegate;
		const known = this.terminals.get(record.id);
		const terminal =
			known ??
			openTerminal({
				name: shortTitle(delegate),
				iconPath: new vscode.ThemeIcon('output'),
				pty: new OutputReader(store, delegate),
			});
		this.terminals.set(record.id, terminal);
		terminal.show(true);
	}

	dispose(): void {
		this.closing.dispose();
		for (const terminal of this.terminals.values()) terminal.dispose();
	}
}

/** Prints a delegate's log from the start, follows it, and at the end says how it ended, with the answer. */
class OutputReader implements vscode.Pseudoterminal {
	private readonly screen = new TerminalLines();
	private readonly closed = new vscode.EventEmitter<void>();
	readonly onDidWrite = this.screen.onDidWrite;
	readonly onDidClose = this.closed.event;
	private readonly decoder = new StringDecoder('utf8');
	private readonly lines = new LineSplitter();
	private watcher: FSWatcher | undefined;
	private timer: NodeJS.Timeout | undefined;
	private position = 0;
	/** The end of the printed text, which shows whether the answer is part of it. */
	private tail = '';
	private reading: Promise<void> | undefined;
	private isAgain = false;
	private isOver = false;

	constructor(
		private readonly store: Delegates,
		private readonly delegate: Delegate,
	) {}

	private get files(): DelegateFiles {
		return this.delegate.files;
	}

	private async find(): Promise<Delegate | undefined> {
		const { id } = this.delegate.record;
		if (!this.delegate.isForeign) return this.store.find(id);
		return (await this.store.list()).delegates.find(each => each.isForeign && each.record.id === id);
	}

	open(): void {
		this.timer = setInterval(() => this.look(), POLL_MS);
		this.look();
	}

	close(): void {
		this.isOver = true;
		clearInterval(this.timer);
		this.watcher?.close();
	}

	/** Ctrl+C ends the output here, never the delegate. */
	handleInput(data: string): void {
		if (data === '\u0003') this.closed.fire();
	}

	private look(): void {
		this.isAgain = true;
		this.reading ??= this.read()
			.catch((error: unknown) => this.say(['red', errorWords(error)]))
			.finally(() => {
				this.reading = undefined;
			});
	}

	private async read(): Promise<void> {
		while (this.isAgain && !this.isOver) {
			this.isAgain = false;
			this.follow();
			// The state is read before the log. After its end, a delegate writes nothing to the log.
			const delegate = await this.find();
			await this.readLog();
			if (delegate && isFinal(delegate.state) && !this.isOver) {
				await this.end(delegate);
				this.close();
			}
		}
	}

	private follow(): void {
		if (this.watcher) return;
		try {
			this.watcher = watch(this.files.log, { persistent: false }, () => this.look());
			this.watcher.on('error', () => undefined);
		} catch {
			// The file does not exist yet, or the system allows no more watches. The poll sees the change.
		}
	}

	private async readLog(): Promise<void> {
		const handle = await openPlainFile(this.files.log);
		if (!handle) return;
		try {
			const { size } = await handle.stat();
			if (this.position === 0 && size > LOG_SHOWN) {
				this.position = size - LOG_SHOWN;
				this.say(['dim', l10n.t('… the beginning is in the log')]);
			}
			const buffer = Buffer.alloc(CHUNK);
			while (!this.isOver) {
				const { bytesRead } = await handle.read(buffer, 0, CHUNK, this.position);
				if (bytesRead === 0) return;
				this.position += bytesRead;
				this.print(this.lines.take(this.decoder.write(buffer.subarray(0, bytesRead))));
			}
		} finally {
			await handle.close();
		}
	}

	private print(lines: readonly string[]): void {
		for (const line of lines) {
			this.tail = `${this.tail}\n${line}`.slice(-ANSWER_SHOWN);
			this.say(...painted(line));
		}
	}

	private async end(delegate: Delegate): Promise<void> {
		this.print(this.lines.rest());
		const output = await outputOf(this.store, delegate);
		const { text, isWhole } = beginningOf(output ?? outputChanged(), ANSWER_SHOWN);
		const answer = plainLines(text.trim());
		// The last text of an agent is its answer. It is shown once.
		const isSaid = plainLines(this.tail.trim()).join('\n').endsWith(answer.join('\n'));
		if (!isSaid) for (const line of ['', ...answer]) this.say(line);
		if (!isWhole) this.say(['dim', l10n.t('… the rest is in the output file')]);
		this.say('');
		this.say([delegate.state === 'done' ? 'green' : 'red', `■ ${delegateLine(delegate)}`]);
	}

	private say(...pieces: readonly Piece[]): void {
		this.screen.print(...pieces);
	}
}

/** The marks of a log's lines: a tool, a failure, a line that is not the agent's. */
function painted(line: string): Piece[] {
	const [plain = ''] = plainLines(line);
	const tool = /^● (\S+)(.*)$/.exec(plain);
	if (tool) return [['blue', '●'], ' ', ['bold', tool[1] ?? ''], ['dim', tool[2] ?? '']];
	if (plain.startsWith('  ✗')) return [['red', plain]];
	return [/^(?:—|…|\$ )/.test(plain) ? ['dim', plain] : plain];
}
