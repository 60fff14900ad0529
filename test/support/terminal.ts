import xterm from '@xterm/headless';
import { spawn } from 'node-pty';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, HANG_MS } from './eventually.ts';

export interface TerminalOptions {
	cwd: string;
	env: Record<string, string>;
	columns?: number;
	rows?: number;
	/** Gets each byte that it writes. */
	raw?: (data: string) => void;
}

/** A program in a real pseudo-terminal, with a real emulator that answers its questions. */
export interface Terminal {
	pid: number;
	/** What a person sees now, without trailing blanks. */
	screen(): string;
	/** Everything that scrolled by, and the screen. */
	history(): string;
	/** Waits until the screen matches and returns it. */
	waitForText(pattern: RegExp, timeoutMs?: number): Promise<string>;
	/** Types like a person: nothing is added, no Enter. */
	type(text: string): void;
	enter(): void;
	/** The exit code, once it has ended. */
	ended: Promise<number>;
	/** Hang up, terminate, kill: whatever it takes, for the whole process group. */
	close(): Promise<void>;
}

export function terminal(command: string, args: readonly string[], options: TerminalOptions): Terminal {
	const { columns: cols = 120, rows = 40, cwd, env } = options;
	const pty = spawn(command, [...args], {
		name: env['TERM'] ?? 'xterm-256color',
		cols,
		rows,
		cwd,
		env,
	});
	const emulator = new xterm.Terminal({ cols, rows, scrollback: 5000, allowProposedApi: true });
	emulator.onData(answer => pty.write(answer));
	pty.onData(data => emulator.write(data));
	if (options.raw) pty.onData(options.raw);
	let running = true;
	const ended = new Promise<number>(resolve => {
		pty.onExit(({ exitCode }) => {
			running = false;
			resolve(exitCode);
		});
	});
	const lines = (from: number, to: number) => {
		const buffer = emulator.buffer.active;
		const texts = Array.from(
			{ length: to - from },
			(_, index) => buffer.getLine(from + index)?.translateToString(true) ?? '',
		);
		return texts.join('\n').trimEnd();
	};
	const screen = () => lines(emulator.buffer.active.baseY, emulator.buffer.active.baseY + rows);
	return {
		pid: pty.pid,
		screen,
		history: () => lines(0, emulator.buffer.active.length),
		waitForText: async (pattern, timeoutMs = HANG_MS) => {
			try {
				return await eventually(`${pattern} on the screen`, () => pattern.test(screen()) && screen(), {
					timeoutMs,
					everyMs: 30,
				});
			} catch (error) {
				throw new Error(
					`${pattern} did not appear in ${timeoutMs} ms${running ? '' : ' (it has ended)'}. Screen:\n${screen()}`,
					{ cause: error },
				);
			}
		},
		type: text => pty.write(text),
		enter: () => pty.write('\r'),
		ended,
		close: async () => {
			for (const signal of ['SIGHUP', 'SIGTERM', 'SIGKILL'] as const) {
				if (!running) break;
				signalGroup(pty.pid, signal);
				await Promise.race([ended, sleep(2000)]);
			}
			emulator.dispose();
		},
	};
}

/** The child of a pty leads a process group of its own. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch {
		// It ended in between.
	}
}
