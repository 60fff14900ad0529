import { resolve } from 'node:path';
import { NancyError } from '../base/errors.ts';
import type { Asker } from '../core/asker/asker.ts';
import { failureOf } from '../operations/shared/failure.ts';
import { ErrorOutput } from '../protocol/output/failure.ts';
import { parseCommandArguments, splitCommandLine, type GlobalArguments } from './arguments.ts';
import { loadAll, type Command, type Commands, type Context, type Input } from './command.ts';
import { ExitCode, exitCodeFor } from './failure.ts';
import { commandHelp, mainHelp } from './help.ts';
import { printable } from './words.ts';

/** The process around the command, so that tests can give it another one. */
export interface Surroundings {
	/** The file of the running program. */
	program: string;
	cwd: string;
	/** Read once a command runs: finding it may take time. */
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The same before anything is read: see `environmentOf`. */
	given: Readonly<Record<string, string | undefined>>;
	stdin: Input;
	stdout: Output;
	stderr: Output;
	version: string;
	/** Who asks: see `askerOf`. */
	asker: () => Asker;
}

interface Output {
	write(text: string, done?: (error?: Error | null) => void): unknown;
	/** Set for a terminal, which obeys control sequences in texts of programs and agents. */
	isTTY?: boolean;
}

/** Another program gets the text unchanged. A terminal gets nothing that it would obey. */
function print(output: Output, text: string): void {
	output.write(output.isTTY === true ? printable(text) : text);
}

/** Runs one command line and returns the exit code. Never throws. */
export async function runCommandLine(
	argv: readonly string[],
	commands: Commands,
	surroundings: Surroundings,
): Promise<number> {
	const { stdout, stderr } = surroundings;
	let wantsJson = argv.includes('--json');
	try {
		const { globals, name, rest } = splitCommandLine(helpLast(argv));
		const command = name === undefined ? undefined : await findCommand(commands, name);
		if (!command) return await withoutCommand(globals, commands, surroundings);
		const input = parseCommandArguments(command, rest, globals);
		wantsJson = globals.json;
		if (globals.help) {
			print(stdout, `${commandHelp(command)}\n`);
			return ExitCode.ok;
		}
		const reply = await command.run(input, contextOf(globals, surroundings));
		if (typeof reply === 'number') return reply;
		const text = globals.json ? JSON.stringify(reply.json, null, 2) : reply.text;
		if (text !== '') print(stdout, `${text}\n`);
		return reply.exitCode ?? ExitCode.ok;
	} catch (error) {
		const { code, message: said } = failureOf(error);
		const message = String(said);
		const output = wantsJson
			? JSON.stringify(ErrorOutput.parse({ error: { code, message } }))
			: `nancy: ${message}`;
		print(stderr, `${output}\n`);
		return exitCodeFor(code);
	}
}

/** `nancy help send` is `nancy send --help`. */
function helpLast(argv: readonly string[]): readonly string[] {
	return argv[0] === 'help' ? [...argv.slice(1, 2), '--help'] : argv;
}

function contextOf(
	globals: GlobalArguments,
	{ program, cwd, env, given, stdin, stdout, stderr, version, asker }: Surroundings,
): Context {
	if (globals.folder === '') throw new NancyError('bad-usage', '-C needs a folder');
	let known: Asker | undefined;
	return {
		program,
		cwd: resolve(cwd, globals.folder ?? '.'),
		isFolderGiven: globals.folder !== undefined,
		env,
		wantsJson: globals.json,
		version,
		get asker() {
			return (known ??= asker());
		},
		askerNow: asker,
		given,
		stdin,
		send: line => new Promise(resolve => stdout.write(`${line}\n`, error => resolve(!error))),
		writeLine: line => print(stdout, `${line}\n`),
		writeError: line => print(stderr, `${line}\n`),
		note: text => print(stderr, `nancy: ${text}\n`),
	};
}

async function withoutCommand(
	globals: GlobalArguments,
	commands: Commands,
	{ stdout, stderr, version }: Surroundings,
): Promise<number> {
	if (globals.version) {
		print(stdout, globals.json ? `${JSON.stringify({ version })}\n` : `${version}\n`);
		return ExitCode.ok;
	}
	if (globals.help) {
		print(stdout, `${mainHelp(await loadAll(commands))}\n`);
		return ExitCode.ok;
	}
	if (globals.json) throw new NancyError('bad-usage', 'no command is given; nancy --help lists the commands');
	print(stderr, `${mainHelp(await loadAll(commands))}\n`);
	return ExitCode.usage;
}

async function findCommand(commands: Commands, name: string): Promise<Command> {
	if (Object.hasOwn(commands, name) && commands[name]) return commands[name]();
	const command = (await loadAll(commands)).find(({ aliases }) => aliases?.includes(name));
	if (command) return command;
	throw new NancyError('bad-usage', `there is no command "${name}"; nancy --help lists the commands`);
}
