import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithThis } from '../base/endWithThis.ts';
import { redactText } from '../core/traffic/redact.ts';
import { signal } from '../process/signal.ts';
import type { Beginning } from './conversation.ts';

/** How long an agent may take to say what it can, in milliseconds. The slowest needs 4 s on an idle machine. */
const BEGIN_MS = 120_000;
/** How long an agent may take to end once its input is closed, in milliseconds. */
const END_MS = 3000;
/** For so long after its end its output is read, in milliseconds. */
const READ_MS = 1000;
/**
 * Limit of the agent's own complaints, in UTF-16 units. Secrets are removed from a longer part first, so that none is cut from its name.
 */
const LONGEST_ERRORS = 4000;

/** Windows has neither terminals that a program must be kept from nor groups of processes. */
const hasGroups = process.platform !== 'win32';

/**
 * The process of an agent that is talked with on its standard input and output. Its session is its own, so neither it nor a tool can open
 * the terminal of this program. A program that can open it reads what a person types, draws over a question, and may type the answer
 * (`TIOCSTI`).
 */
export class AgentProcess {
	private said = '';
	private readonly watch: ChildProcess | undefined;
	/** It took too long to begin. */
	private isLate = false;

	private constructor(
		private readonly child: ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable },
	) {
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			this.said = (this.said + text).slice(-4 * LONGEST_ERRORS);
		});
		const { pid } = child;
		if (!hasGroups || pid === undefined) return;
		this.watch = endWithThis(-pid);
		// As a terminal does when its program ends: what is left of the agent's tools has nobody any more.
		child.once('exit', () => {
			this.watch?.kill('SIGKILL');
			signal(-pid, 'SIGHUP');
		});
	}

	/** @throws Error if it cannot be started */
	static async start({ program, stop }: Pick<Beginning, 'program' | 'stop'>): Promise<AgentProcess> {
		const child = spawn(program.executable, program.args, {
			cwd: program.cwd,
			env: program.env,
			stdio: ['pipe', 'pipe', 'pipe'],
			detached: hasGroups,
		});
		await once(child, 'spawn');
		const agent = new AgentProcess(child);
		stop.addEventListener('abort', () => agent.send('SIGTERM'));
		if (stop.aborted) agent.send('SIGTERM');
		return agent;
	}

	get stdin(): Writable {
		return this.child.stdin;
	}

	get stdout(): Readable {
		return this.child.stdout;
	}

	/** `undefined` once it has ended. */
	get pid(): number | undefined {
		return this.hasEnded ? undefined : this.child.pid;
	}

	get complaints(): string {
		return redactText(this.said).trim().slice(-LONGEST_ERRORS);
	}

	/** How it has ended, if it has said nothing of that. */
	get lastWords(): string {
		const { exitCode, signalCode } = this.child;
		if (this.isLate) return `the agent did not answer within ${BEGIN_MS / 1000} seconds`;
		return `the agent has ended without a word (${signalCode ?? `code ${exitCode}`})`;
	}

	/** Once it has ended, also if that was before, and all that it has said is read. What it has started may keep its output open. */
	onExit(act: () => void): void {
		if (this.hasEnded) return act();
		this.child.once('exit', () => {
			const read = once(this.child, 'close').catch(() => undefined);
			void Promise.race([read, sleep(READ_MS, undefined, { ref: false })]).then(act);
		});
	}

	/** The work of a beginning, which an agent may not delay for ever. */
	async inTime<T>(work: () => Promise<T>): Promise<T> {
		const timer = setTimeout(() => {
			this.isLate = true;
			this.send('SIGKILL');
		}, BEGIN_MS);
		try {
			return await work();
		} finally {
			clearTimeout(timer);
		}
	}

	/** @param atOnce it would not end with its input */
	async end(atOnce = false): Promise<void> {
		if (this.hasEnded) return;
		const over = once(this.child, 'exit');
		this.child.stdin.end();
		if (atOnce) this.send('SIGTERM');
		const asked = setTimeout(() => this.send('SIGTERM'), END_MS);
		const killed = setTimeout(() => this.send('SIGKILL'), 2 * END_MS);
		await over;
		clearTimeout(asked);
		clearTimeout(killed);
	}

	/** To the agent and to what it runs in its group. */
	private send(name: NodeJS.Signals): void {
		if (this.pid === undefined) return;
		if (hasGroups) signal(-this.pid, name);
		else this.child.kill(name);
	}

	private get hasEnded(): boolean {
		return this.child.exitCode !== null || this.child.signalCode !== null;
	}
}
