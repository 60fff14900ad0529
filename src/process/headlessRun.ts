import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { errorText } from '../base/errors.ts';
import { identify, type ProcessIdentity } from '../base/liveness.ts';
import type { HeadlessEvent, HeadlessFormat, HeadlessResult } from '../core/driver/headless.ts';
import { redactText } from '../core/traffic/redact.ts';
import { mergedEnvironment } from './environment.ts';
import { Lines } from './lines.ts';
import { markWithin, RUN_MARK, stopMarked } from './marked.ts';
import { stopTree } from './stopTree.ts';

/** An agent to run once, without a terminal. */
export interface HeadlessProgram {
	command: string;
	args: readonly string[];
	cwd: string;
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
	onStart(agent: ProcessIdentity): void;
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
	format: HeadlessFormat,
	limits: RunLimits,
	listener: RunListener,
	signal: AbortSignal,
): Promise<Ending> {
	if (signal.aborted) return { is: 'cancelled' };
	// A start there would fail like a missing program.
	if (!existsSync(program.cwd)) return { is: 'no-result', reason: `there is no folder ${program.cwd}` };
	const child = spawn(program.command, [...program.args], {
		cwd: program.cwd,
		env: mergedEnvironment({ ...program.env, [RUN_MARK]: markWithin(program.mark) }),
		stdio: ['pipe', 'pipe', 'pipe'],
		// A group of its own, which a signal to this process's group does not reach.
		detached: true,
	});
	const ended = endOf(child);
	if (child.pid === undefined) return { is: 'no-result', reason: (await ended).reason };
	const agent = identify(child.pid);
	listener.onStart(agent);

	let result: HeadlessResult | undefined;
	let stopped: Ending | undefined;
	let stopping: Promise<unknown> | undefined;
	const stop = (why: Ending) => {
		stopped ??= why;
		stopping ??= stopTree(agent);
	};
	const cancel = () => stop({ is: 'cancelled' });
	signal.addEventListener('abort', cancel, { once: true });
	const wall = setTimeout(() => stop({ is: 'timeout', limit: 'wall' }), Math.min(limits.wallMs, LONGEST_TIMER_MS));
	const idle = setTimeout(() => stop({ is: 'timeout', limit: 'idle' }), Math.min(limits.idleMs, LONGEST_TIMER_MS));

	const reader = format.reader();
	const take = (events: readonly HeadlessEvent[]) => {
		for (const event of events) {
			if (event.is === 'result') result = event.result;
			listener.onEvent(event);
		}
	};
	const lines = new Lines(line => {
		const events = safely(() => reader.read(line));
		if (events.length === 0 && !line.startsWith('{')) listener.onNoise(line);
		take(events);
	});
	child.stdout?.on('data', (data: Buffer) => {
		idle.refresh();
		lines.push(data);
	});
	const complaints = new Complaints(text => listener.onNoise(text));
	child.stderr?.on('data', (data: Buffer) => {
		idle.refresh();
		complaints.push(data);
	});
	child.stdin?.on('error', () => undefined); // it has ended without reading all of it: how, the exit code tells
	child.stdin?.end(program.stdin);

	const { reason, exitCode } = await ended;
	// Processes without the variable may hold the pipes. This process must not wait for those.
	child.stdout?.destroy();
	child.stderr?.destroy();
	lines.end();
	take(safely(() => reader.end(exitCode)));
	complaints.end();
	clearTimeout(wall);
	clearTimeout(idle);
	signal.removeEventListener('abort', cancel);
	await stopping;
	await stopMarked(RUN_MARK, program.mark);
	// Its answer before the stop still counts.
	if (result && !result.failure) return { is: 'result', result };
	if (stopped) return stopped;
	if (result) return { is: 'result', result };
	return { is: 'no-result', reason: [reason, complaints.last()].filter(Boolean).join(': ') };
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
