import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import { identify, liveness } from '../../base/liveness.ts';
import { hasBegun } from '../../core/workspace/workerLife.ts';
import { abandonStart, recordExit, recordProcess } from '../../core/start/workerProcess.ts';
import { isSameAddress, type WorkerAddress } from '../../core/workspace/workspace.ts';
import type { Failures } from '../kit/failures.ts';
import { inform } from '../kit/messages.ts';
import { openTerminal, renameActiveTerminal } from '../kit/terminals.ts';
import type { Folder, WorkerStart } from '../ports.ts';
import { FirstOutput, LastLines } from './firstOutput.ts';
import { isSealedAs } from './sealedWorker.ts';
import { abandonOnce, onceStarted } from './startOnce.ts';
import type { WorkerItem } from './tasksView.ts';
import { keyOf } from '../inbox/recipients.ts';
import { whoIs } from '../who.ts';

/** How many of the last lines that a failed agent printed stay in its record. */
const LINES_KEPT = 12;

/** A worker, or a row of one. */
type Placed = Pick<WorkerItem, 'folder' | 'address'>;

/** An agent in a terminal of this window has ended with an error, and nobody asked for its end. */
export interface Failure {
	readonly kind: 'failed';
	readonly address: WorkerAddress;
	/** Its driver. */
	readonly agent: string;
	readonly exitCode: number;
}

interface Started extends Placed {
	readonly pid: number;
	/** The process is in the worker's record. */
	readonly recorded: Promise<void>;
}

/**
 * The terminals of agents. Only its process tells whose terminal it is. A reloaded window gets its terminals back without their names, but
 * with their processes, and the workers' records name these.
 */
export class Terminals implements vscode.Disposable {
	private readonly byPid = new Map<number, vscode.Terminal>();
	private readonly output = new FirstOutput();
	private readonly starts = new Map<vscode.Terminal, Started>();
	/** The terminals that took the place of those that failed. */
	private readonly failed = new Map<string, vscode.Terminal>();
	private readonly owned: vscode.Disposable[] = [];
	private readonly _onDidFail = new Emitter<{ folder: Folder; attention: Failure }>();
	readonly onDidFail = this._onDidFail.event;

	constructor(
		private readonly failures: Failures,
		private readonly onDidClose: () => void,
	) {
		for (const terminal of vscode.window.terminals) this.note(terminal);
		this.owned.push(
			vscode.window.onDidOpenTerminal(terminal => this.note(terminal)),
			vscode.window.onDidCloseTerminal(terminal => {
				for (const [pid, each] of this.byPid) if (each === terminal) this.byPid.delete(pid);
				for (const [key, each] of this.failed) if (each === terminal) this.failed.delete(key);
				this.failures.background(this.noteEnd(terminal).finally(this.onDidClose));
			}),
		);
	}

	/** Starts the agent itself as the terminal's program, and notes its process in the worker's record. */
	async start(folder: Folder, plan: WorkerStart): Promise<vscode.Terminal> {
		// The task may be new, and its title is the terminal's name.
		await folder.refresh();
		const once = await onceStarted(folder.workspace.own, plan).catch(async (error: unknown) => {
			await abandonStart(folder.workspace, plan.address);
			throw error;
		});
		const terminal = openTerminal({
			name: whoIs(folder, plan.address),
			...once,
			env: { ...plan.env },
			cwd: plan.cwd,
			iconPath: new vscode.ThemeIcon('robot'),
		});
		this.output.follow(terminal);
		this.failed.get(keyOf({ folder, address: plan.address }))?.dispose();
		terminal.show(true);
		const pid = await terminal.processId;
		if (pid === undefined) {
			abandonOnce(once);
			await abandonStart(folder.workspace, plan.address);
			throw new NancyError('no-agent', l10n.t('{0} could not be started.', plan.command));
		}
		this.byPid.set(pid, terminal);
		const recorded = recordProcess(folder.workspace, plan.address, identify(pid));
		this.starts.set(terminal, { folder, address: plan.address, pid, recorded });
		await recorded;
		// It may have ended before it was known.
		if (terminal.exitStatus) await this.noteEnd(terminal);
		await folder.refresh();
		return terminal;
	}

	/** Notes with which code an agent has ended by itself. One that failed soon after its start keeps a terminal, with what it printed. */
	private async noteEnd(terminal: vscode.Terminal): Promise<void> {
		const started = this.starts.get(terminal);
		if (!started) return;
		this.starts.delete(terminal);
		const { code, reason } = terminal.exitStatus ?? {};
		if (!code || reason !== vscode.TerminalExitReason.Process) {
			this.output.forget(terminal);
			return;
		}
		const lines = await this.output.end(terminal);
		const { folder, address, pid, recorded } = started;
		await recorded;
		await recordExit(folder.workspace, address, pid, { code, lines: lines.slice(-LINES_KEPT) });
		await folder.refresh();
		if (lines.length > 0) this.showLast({ folder, address }, code, lines);
		const worker = folder
			.overview()
			.tasks.flatMap(({ workers }) => workers)
			.find(({ record }) => isSameAddress({ task: record.task, worker: record.name }, address));
		// A process that lived a moment ago may still count as living. A command may have stopped it, or its last event told the end.
		const isKnownEnd = worker?.state.phase === 'ended' && worker.state.exitCode === undefined;
		const isOther = worker?.record.process?.pid !== pid; // it was started again meanwhile
		if (!worker || isOther || worker.record.stoppedAt !== undefined || isKnownEnd) return;
		const failure: Failure = { kind: 'failed', address, agent: worker.record.agent, exitCode: code };
		this._onDidFail.fire({ folder, attention: failure });
	}

	private showLast({ folder, address }: Placed, code: number, lines: readonly string[]): void {
		const key = keyOf({ folder, address });
		const known = this.failed.get(key);
		const terminal =
			known ??
			openTerminal({
				name: whoIs(folder, address),
				iconPath: new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground')),
				pty: new LastLines(lines, code),
			});
		this.failed.set(key, terminal);
		terminal.show(true);
	}

	/**
	 * The terminal that a worker runs in, in this window. Its record may name a process that is another's, such as the user's own shell. So
	 * the process must be sealed as this worker's.
	 */
	async find({ folder, address, worker }: WorkerItem): Promise<vscode.Terminal | undefined> {
		const { process } = worker.record;
		if (!process || !isSealedAs(folder, address, process)) return undefined;
		const known = this.byPid.get(process.pid);
		if (known) return known;
		// A terminal that was just restored may not know its process yet.
		for (const terminal of vscode.window.terminals) {
			const pid = await Promise.race([terminal.processId, soon()]);
			if (pid === process.pid) return terminal;
		}
		return undefined;
	}

	/**
	 * Closes the terminal of an agent that is being stopped. If the terminal stayed open, VS Code would report the agent's end by a signal
	 * as a failure, with the whole command line. Call this once the agent has been asked to end, because closing sends it a hang-up signal.
	 */
	async close(item: WorkerItem): Promise<void> {
		(await this.find(item))?.dispose();
	}

	/** Gives a worker's terminal the worker's present name if it is the active one. No other one is brought to the front for that. */
	async rename(item: WorkerItem): Promise<void> {
		const terminal = await this.find(item);
		if (terminal && terminal === vscode.window.activeTerminal)
			await renameActiveTerminal(whoIs(item.folder, item.address));
	}

	/** Brings a worker's terminal to the front. If this window has none, says where the worker runs. */
	async focus(item: WorkerItem): Promise<void> {
		const terminal = await this.find(item);
		if (terminal) {
			terminal.show(false);
			return;
		}
		const { process, exit } = item.worker.record;
		if (exit && item.worker.state.exitCode !== undefined && exit.lines.length > 0) {
			this.showLast(item, exit.code, exit.lines);
			return;
		}
		const name = whoIs(item.folder, item.address);
		if (process && liveness(process) === 'alive') {
			void inform(l10n.t('{0} runs in another window or terminal (process {1}).', name, process.pid));
			return;
		}
		const resume = l10n.t('Resume');
		const choice =
			item.worker.state.phase === 'ended' && hasBegun(item.worker.record) && vscode.workspace.isTrusted
				? await inform(l10n.t('{0} has ended.', name), resume)
				: void inform(l10n.t('The terminal of {0} is not known.', name));
		if (choice === resume) await vscode.commands.executeCommand('nancy.resumeWorker', item);
	}

	dispose(): void {
		for (const each of this.owned) each.dispose();
		this._onDidFail.dispose();
		this.output.dispose();
		for (const each of this.failed.values()) each.dispose();
	}

	private note(terminal: vscode.Terminal): void {
		const known = Promise.resolve(terminal.processId).then(pid => {
			if (pid !== undefined) this.byPid.set(pid, terminal);
		});
		this.failures.background(known);
	}
}

function soon(): Promise<undefined> {
	return new Promise(resolve => setTimeout(() => resolve(undefined), 200));
}
