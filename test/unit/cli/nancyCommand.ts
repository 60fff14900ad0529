import { cpSync } from 'node:fs';
import type { Metafile } from 'esbuild';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { besidePrograms } from '../../../scripts/lib/beside.mts';
import manifest from '../../../package.json' with { type: 'json' };
import { commands } from '../../../src/cli/commands.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { askerOf } from '../../../src/core/asker/asker.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { spawnAsAgent } from '../../support/asAgent.ts';
import { programs, repository } from '../../support/programs.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

/** The commands that start agents. */
const STARTING: ReadonlySet<string> = new Set(['orchestrate', 'delegate', 'delegates', 'run']);

export interface Outcome {
	code: number | null;
	stdout: string;
	stderr: string;
}

export interface CallOptions {
	cwd: string;
	env?: Record<string, string>;
	stdin?: string;
	/** Whether a person's terminal is its standard input. */
	isTerminal?: boolean;
	/** Of a command that runs here: told what it says on its error output. */
	onStderr?: (text: string) => void;
}

/** The `nancy` command of the sources under test: in this process, or as the bundled program. */
export class NancyCommand implements AsyncDisposable {
	private constructor(
		private readonly folder: TempFolder,
		readonly metafile: Metafile,
	) {}

	/** @param isPackage with all that a package has beside the command: hook program, guard, skills, plugin */
	static async build({ isPackage = false } = {}): Promise<NancyCommand> {
		const folder = tempFolder('nancy-cli-');
		const { cli, pages, hooks, plugin, metafile } = await programs();
		cpSync(cli, folder.file('dist', 'nancy.js'));
		for (const { out } of besidePrograms) cpSync(join(dirname(cli), out), folder.file('dist', out));
		cpSync(pages, folder.file('media', 'desk'), { recursive: true });
		if (isPackage) {
			for (const name of ['hooks', 'skills'])
				cpSync(join(repository, name), folder.file(name), { recursive: true });
			cpSync(hooks, folder.file('dist', 'hook'), { recursive: true });
			cpSync(plugin, folder.file('dist', 'plugin'), { recursive: true });
		}
		return new NancyCommand(folder, metafile);
	}

	get program(): string {
		return this.folder.file('dist', 'nancy.js');
	}

	/** Where it installs its runtime: XDG_DATA_HOME. */
	get dataFolder(): string {
		return this.folder.file('data');
	}

	/** The user's settings: XDG_CONFIG_HOME. */
	get configFolder(): string {
		return this.folder.file('config');
	}

	/** What the command inherits: nothing of a Nancy terminal, or of an agent, that the tests themselves may run in. */
	environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
		const marks = new Set(drivers.flatMap(({ marks }) => marks));
		const inherited = Object.entries(process.env).filter(
			([name]) => !name.startsWith('NANCY_') && !name.startsWith('CLAUDE_SWARM_') && !marks.has(name),
		);
		const own = { XDG_DATA_HOME: this.dataFolder, XDG_CONFIG_HOME: this.configFolder };
		return { ...Object.fromEntries(inherited), ...own, ...extra };
	}

	/**
	 * Runs a command line, in this process where it can: a start of Node is a fifth of a second of processor time. What a command
	 * starts inherits the environment of the process, so those that start agents get one of their own.
	 */
	async run(args: readonly string[], options: CallOptions): Promise<Outcome> {
		return args.some(word => STARTING.has(word)) ? this.start(args, options) : this.runHere(args, options);
	}

	/** Runs a command line in this process: one that starts no agent, or is refused because an agent calls it. */
	async runHere(
		args: readonly string[],
		{ cwd, env, stdin, isTerminal = false, onStderr }: CallOptions,
	): Promise<Outcome> {
		const outcome = { stdout: '', stderr: '' };
		const given = this.environment(env);
		const code = await runCommandLine(args, commands, {
			program: this.program,
			cwd,
			env: given,
			given,
			stdin: Object.assign(Readable.from(stdin === undefined ? [] : [stdin]), { isTTY: isTerminal }),
			stdout: { write: (text: string) => (outcome.stdout += text) },
			stderr: {
				write: (text: string) => {
					outcome.stderr += text;
					onStderr?.(text);
				},
			},
			version: manifest.version,
			// The tests may run below an agent; the command does not.
			asker: () => askerOf({ env: given, folder: cwd, ancestors: [], isOrphan: false }, drivers),
		});
		return { ...outcome, code };
	}

	/**
	 * Runs a command line as a person's shell does, or as a tool of the worker that the environment names: a process of its own, of the
	 * bundled program.
	 */
	start(args: readonly string[], { cwd, env, stdin }: CallOptions): Promise<Outcome> {
		const options = { cwd, env: this.environment(env) };
		const child = spawnAsAgent(join(this.dataFolder, 'nancy'), [process.execPath, this.program, ...args], options);
		const outcome: Outcome = { code: null, stdout: '', stderr: '' };
		child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
		child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
		// The command may end before it has read everything.
		child.stdin.on('error', () => {});
		child.stdin.end(stdin ?? '');
		return new Promise((resolve, reject) => {
			child.once('error', reject);
			child.once('close', code => resolve({ ...outcome, code }));
		});
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.folder.remove();
	}
}
