import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { errorText } from '../base/errors.ts';
import { identify, type ProcessIdentity } from '../base/liveness.ts';
import type { Extractor } from '../core/driver/extractor.ts';
import type { HeadlessEvent, HeadlessReader, HeadlessResult } from '../core/driver/headless.ts';
import { redactText } from '../core/traffic/redact.ts';
import { mergedEnvironment } from './environment.ts';
import { Lines } from './lines.ts';
import { markWithin, RUN_MARK, stopMarked } from './marked.ts';
import { stopGroup } from './stopTree.ts';

/** An agent to run once, without a terminal. */
export interface HeadlessProgram {
	command: string;
	args: readonly string[];
	cwd: string;
	/** Where its process starts, if not in {@link cwd}. */
	startsIn?: string | undefined;
	/** Variables to set on top of the inherited environment; `null` means remove. */
	env: Readonly<Record<string, string | null>>;
	/** Goes to standard input, which is then closed. */
	stdin: string;
	/** Value of NANCY_RUN, which identifies everything that the agent starts, wherever it moves to. */
	mark: string;
}

export interface RunLimits {
	wallMs: number;
	/** Longest time without any output. */
	idleMs: number;
}

/** How a run ended. */
export type Ending =
	| { is: 'result'; result: HeadlessResult }
	| { is: 'timeout'; limit: 'wall' | 'idle' }
	| { is: 'cancelled' }
	/** The program is missing, was killed, or ended without an answer. */
	| { is: 'no-result'; reason: string };

export interface RunListener {
	/** @param countAsOutput for a caller who knows why the agent is silent */
	onStart(agent: ProcessIdentity, countAsOutput: () => void): void;
	onEvent(event: HeadlessEvent): void;
	/** Output outside the agent's own protocol: standard error, and text that tools print past it. */
	onNoise(text: string): void;
}

/** A longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How much of standard error goes into a reason. Secrets are removed from a longer part first, so that none is cut from its name. */
const SHOWN = 4000;
const KEPT = 4 * SHOWN;

/**
 * Runs an agent on one prompt. Ends when the agent and everything that it started have ended; `signal` cancels. A failure of the agent is a
 * result, not an error.
 */
export async function runHeadless(
	program: HeadlessProgram,
	format: Pick<Extractor, 'reader'>,
	limits: RunLimits,
	listener: RunListener,
	signal: AbortSignal,
): Promise<Ending> {
	if (signal.aborted) return { is: 'cancelled' };
	// A start there would fail like a missing program.
	if (!existsSync(program.cwd)) return { is: 'no-result', reason: `there is no folder ${program.cwd}` };
	const child = spawn(program.command, [...program.args], {
		cwd: program.startsIn ?? program.cwd,
		env: mergedEnvironment({ ...program.env, [RUN_MARK]: markWithin(program.mark) }),
		stdio: ['pipe', 'pipe', 'pipe'],
		// A group of its own, which a signal to this process's group does not reach.
		detached: true,
	});
	const ended = endOf(child);
	if (child.pid === undefined) return { is: 'no-result', reason: (await ended).reason };
	const agent = identify(child.pid);
	const stop = new EarlyStop(agent, limits, signal);
	try {
		listener.onStart(agent, () => stop.seeOutput());
	} catch (error) {
		// It cannot be noted that it runs.
		await stopGroup(agent);
		await stop.end();
		throw error;
	}

	const output = new Output(child, format, listener, () => stop.seeOutput());
	child.stdin?.on('error', () => undefined); // it has ended without reading all of it: how, the exit code tells
	child.stdin?.end(program.stdin);

	const { reason, exitCode } = await ended;
	output.end(exitCode);
	await stop.end();
	await stopMarked(RUN_MARK, program.mark);
	const { result } = output;
	// Its answer before the stop still counts.
	if (result && !result.failure) return { is: 'result', result };
	if (stop.why) return stop.why;
	if (result) return { is: 'result', result };
	return { is: 'no-result', reason: [reason, output.lastComplaint()].filter(Boolean).join(': ') };
}

/** Stops an agent that has reached a limit, or that the caller cancels. */
class EarlyStop {
	/** Why the agent was stopped; absent if it was not. */
	why: Ending | undefined;
	private stopping: Promise<unknown> | undefined;
	private readonly cancel = () => this.stop({ is: 'cancelled' });
	private readonly wall: NodeJS.Timeout;
	private readonly idle: NodeJS.Timeout;

	constructor(
		private readonly agent: ProcessIdentity,
		{ wallMs, idleMs }: RunLimits,
		private readonly signal: AbortSignal,
	) {
		signal.addEventListener('abort', this.cancel, { once: true });
		this.wall = this.timeout('wall', wallMs);
		this.idle = this.timeout('idle', idleMs);
	}

	seeOutput(): void {
		this.idle.refresh();
	}

	/** The agent has ended. Resolves when a stop under way has ended, too. */
	async end(): Promise<void> {
		clearTimeout(this.wall);
		clearTimeout(this.idle);
		this.signal.removeEventListener('abort', this.cancel);
		await this.stopping;
	}

	private timeout(limit: 'wall' | 'idle', ms: number): NodeJS.Timeout {
		return setTimeout(() => this.stop({ is: 'timeout', limit }), Math.min(ms, LONGEST_TIMER_MS));
	}

	private stop(why: Ending): void {
		this.why ??= why;
		this.stopping ??= stopGroup(this.agent);
	}
}

/** What an agent prints, given to the listener: events of its protocol, and everything else as noise. */
class Output {
	/** The last one that the agent has reported. */
	result: HeadlessResult | undefined;
	private readonly reader: HeadlessReader;
	private readonly lines = new Lines(line => this.readLine(line));
	private readonly complaints: Complaints;

	constructor(
		private readonly child: ChildProcess,
		format: Pick<Extractor, 'reader'>,
		private readonly listener: RunListener,
		onData: () => void,
	) {
		this.reader = format.reader();
		this.complaints = new Complaints(text => listener.onNoise(text));
		child.stdout?.on('data', (data: Buffer) => {
			onData();
			this.lines.push(data);
		});
		child.stderr?.on('data', (data: Buffer) => {
			onData();
			this.complaints.push(data);
		});
	}

	/** The agent has ended. */
	end(exitCode: number | null): void {
		// Processes without the variable may hold the pipes. This process must not wait for those.
		this.child.stdout?.destroy();
		this.child.stderr?.destroy();
		this.lines.end();
		this.take(safely(() => this.reader.end(exitCode)));
		this.complaints.end();
	}

	/** The end of standard error, without secrets. */
	lastComplaint(): string {
		return this.complaints.last();
	}

	private readLine(line: string): void {
		const events = safely(() => this.reader.read(line));
		if (events.length === 0 && !line.startsWith('{')) this.listener.onNoise(line);
		this.take(events);
	}

	private take(events: readonly HeadlessEvent[]): void {
		for (const event of events) {
			if (event.is === 'result') this.result = event.result;
			this.listener.onEvent(event);
		}
	}
}

/** Standard error, passed on in whole lines, so that no secret is cut in two before its removal. */
class Complaints {
	private readonly decoder = new StringDecoder('utf8');
	private open = '';
	private kept = '';

	constructor(private readonly onText: (text: string) => void) {}

	push(data: Buffer): void {
		this.open += this.decoder.write(data);
		const end = this.open.length > KEPT ? this.open.length : this.open.lastIndexOf('\n') + 1;
		this.pass(this.open.slice(0, end));
		this.open = this.open.slice(end);
	}

	end(): void {
		this.pass(this.open + this.decoder.end());
		this.open = '';
	}

	/** The end of it, without secrets. */
	last(): string {
		return redactText(this.kept).trim().slice(-SHOWN);
	}

	private pass(text: string): void {
		if (text === '') return;
		this.kept = (this.kept + text).slice(-KEPT);
		this.onText(text);
	}
}

/** No output may end the process that watches the agent. */
function safely(read: () => readonly HeadlessEvent[]): readonly HeadlessEvent[] {
	try {
		return read();
	} catch {
		return [];
	}
}

/** Resolves when the program has ended and its pipes are closed, or could not be started. */
function endOf(child: ChildProcess): Promise<{ reason: string; exitCode: number | null }> {
	return new Promise(resolve => {
		child.once('error', error =>
			resolve({ reason: `${child.spawnfile} could not be started: ${errorText(error)}`, exitCode: null }),
		);
		child.once('exit', (code, signal) => {
			const reason = signal === null ? `it ended with code ${code} and no answer` : `it was ended by ${signal}`;
			// A process that it left behind may hold the pipes for ever.
			const late = setTimeout(() => resolve({ reason, exitCode: code }), 2000);
			child.once('close', () => {
				clearTimeout(late);
				resolve({ reason, exitCode: code });
			});
		});
	});
}
