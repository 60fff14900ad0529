import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import type { IPty } from 'node-pty';
import { endWithThis } from '../../base/endWithThis.ts';
import { identify, type ProcessIdentity } from '../../base/liveness.ts';
import { withSafePath } from '../../base/searchPath.ts';
import { stopTree } from '../../process/stopTree.ts';

export interface Program {
	readonly executable: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string | undefined>>;
}

/** Who looks on. It changes nothing of what passes. */
export interface Onlooker {
	/** Bytes of the program, which the terminal has. @param seen is to be called once they are looked at */
	output(bytes: Uint8Array, seen: () => void): void;
	/** Bytes of the terminal, which the program has, or will have once nothing is held back. */
	input(bytes: Uint8Array): void;
	resized(columns: number, rows: number): void;
}

/** How long a program may take to end by SIGHUP once its terminal is gone, and then by SIGTERM, in milliseconds. Some end by neither. */
const HANG_UP_MS = 2000;

/** Bytes that the onlooker may be behind. Then the program waits until half of them are seen, as it would for a slow terminal. */
const MOST_BEHIND = 64_000_000;

/** What a shell adds to the number of the signal that has ended a program. */
export const BY_SIGNAL = 128;

/** As a terminal tells that it takes no key. */
const BELL = '\u0007';

/** A program in a terminal inside this one. Every byte passes both ways as it is, in its order, and none is kept. */
export class Passage {
	/** Its exit code, or 128 + the number of the signal that ended it, as in a shell. */
	readonly ended: Promise<number>;
	/** What the user types meanwhile. */
	private held: Uint8Array[] | undefined;
	private behind = 0;
	private isHungUp = false;
	/** Once a hang-up has not ended the program. */
	private stopping: Promise<unknown> | undefined;

	/** While it lives: later, its number may be another's. */
	private readonly program: ProcessIdentity;

	private constructor(
		private readonly pty: IPty,
		private readonly onlooker: Onlooker,
	) {
		this.program = identify(pty.pid);
		// Some outlive the hang-up of a terminal whose program was killed.
		const watch = endWithThis(-pty.pid);
		pty.onExit(() => watch.kill('SIGKILL'));
		this.ended = new Promise(resolve =>
			pty.onExit(({ exitCode, signal }) => resolve(signal ? BY_SIGNAL + signal : exitCode)),
		);
		pty.onData((data: string | Uint8Array) => this.output(Buffer.from(data)));
		this.readTerminal();
		for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(signal, () => this.signal(signal));
		process.on('SIGHUP', () => this.hangUp());
	}

	/** @throws Error where there is no binary for this platform, or this terminal cannot be made raw */
	static async begin(
		{ executable, args, cwd, env }: Program,
		size: { cols: number; rows: number },
		onlooker: Onlooker,
	): Promise<Passage> {
		// Loads a binary of the platform's own.
		const { spawn } = await import('node-pty');
		const settings = stty(['-g']);
		makeRaw();
		try {
			const pty = spawn('/bin/sh', ['-c', WITH_SETTINGS, 'sh', settings, executable, ...args], {
				...(env['TERM'] !== undefined && { name: env['TERM'] }),
				...size,
				cwd: namedFolder(cwd, env['PWD']),
				env: { ...env },
				encoding: null,
			});
			return new Passage(pty, onlooker);
		} catch (error) {
			process.stdin.setRawMode(false);
			throw error;
		}
	}

	get pid(): number {
		return this.pty.pid;
	}

	/** Types into the program, in front of what is held back. */
	type(text: string): void {
		this.pty.write(text);
	}

	/** Holds back what the user types. @returns to let go of it, or to drop it with a bell */
	hold(): (isDropped: boolean) => void {
		const held: Uint8Array[] = (this.held = []);
		return isDropped => {
			this.held = undefined;
			if (isDropped && held.length > 0) process.stdout.write(BELL);
			if (isDropped) return;
			for (const bytes of held) this.pty.write(Buffer.from(bytes));
		};
	}

	/** Gives the terminal back once the program has ended. */
	async close(): Promise<void> {
		await this.stopping;
		process.stdin.setRawMode(false).pause();
		await new Promise(resolve => process.stdout.write('', resolve));
	}

	private output(bytes: Buffer): void {
		process.stdout.write(bytes);
		this.behind += bytes.length;
		if (this.behind > MOST_BEHIND) this.pty.pause();
		this.onlooker.output(bytes, () => {
			this.behind -= bytes.length;
			if (this.behind <= MOST_BEHIND / 2) this.pty.resume();
		});
	}

	private readTerminal(): void {
		const { stdin, stdout } = process;
		stdin.on('data', bytes => {
			const data = Buffer.from(bytes);
			if (this.held) this.held.push(data);
			else this.pty.write(data);
			this.onlooker.input(data);
		});
		for (const over of ['end', 'error'] as const) stdin.on(over, () => this.hangUp());
		stdout.on('error', () => this.hangUp());
		stdout.on('resize', () => this.resize(stdout));
	}

	private resize({ columns, rows }: { columns: number; rows: number }): void {
		// A terminal that nobody sees may have none.
		if (!columns || !rows) return;
		try {
			this.pty.resize(columns, rows);
			this.onlooker.resized(columns, rows);
		} catch {
			// It has ended.
		}
	}

	/** The terminal is gone, and the program ends with it. */
	private hangUp(): void {
		if (this.isHungUp) return;
		this.isHungUp = true;
		this.signal('SIGHUP');
		setTimeout(() => {
			const stopped = stopTree(this.program, HANG_UP_MS);
			this.stopping = stopped.catch(() => this.signal('SIGKILL'));
		}, HANG_UP_MS).unref();
	}

	/** To the group that the program leads. */
	private signal(name: NodeJS.Signals): void {
		try {
			process.kill(-this.pty.pid, name);
		} catch {
			// It has ended.
		}
	}
}

/**
 * The program begins in a terminal with the settings of this one: its erase key, and that its text is UTF-8. Only what is inside may set them
 * before the program does. Where that fails, the program begins all the same.
 */
const WITH_SETTINGS = 'command -p stty "$1" 2>/dev/null; shift; exec "$@"';

/**
 * Nothing in this terminal changes a byte. The raw mode of Node alone would have a carriage return put before each line feed.
 * @throws Error if that cannot be
 */
function makeRaw(): void {
	process.stdin.setRawMode(true);
	try {
		stty(['raw', '-echo']);
	} catch (error) {
		process.stdin.setRawMode(false);
		throw error;
	}
}

/** @throws Error if this terminal takes no settings, or tells none */
function stty(words: readonly string[]): string {
	const { error, status, stdout } = spawnSync('stty', words, {
		env: withSafePath(process.env),
		encoding: 'utf8',
		stdio: ['inherit', 'pipe', 'ignore'],
	});
	if (status === 0) return stdout.trim();
	throw error ?? new Error('stty cannot read or change its settings');
}

/** The shell's name of the folder, where it is the same: some CLIs trust it more than their current folder. */
function namedFolder(cwd: string, named: string | undefined): string {
	if (named === undefined) return cwd;
	try {
		return realpathSync(named) === realpathSync(cwd) ? named : cwd;
	} catch {
		return cwd;
	}
}
