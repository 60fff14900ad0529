import { parseArgs } from 'node:util';
import { errorText, NancyError } from '../base/errors.ts';
import type { CommandDescription, Option } from './description.ts';

/** Options that every command takes, before or after its name. */
export const globalOptions: Readonly<Record<string, Option>> = {
	folder: { value: 'FOLDER', short: 'C', help: 'work as if started in FOLDER' },
	json: { help: 'print JSON (docs/cli.md has the shapes)' },
	help: { short: 'h', help: 'show this help' },
};

export interface GlobalArguments {
	folder?: string;
	json: boolean;
	help: boolean;
	version: boolean;
}

export interface CommandLine {
	globals: GlobalArguments;
	/** The command's name as typed; absent when only global options were given. */
	name?: string;
	rest: readonly string[];
}

/** Splits `nancy [options] <command> …` at the command's name. */
export function splitCommandLine(argv: readonly string[]): CommandLine {
	const globals: GlobalArguments = { json: false, help: false, version: false };
	let index = 0;
	for (; index < argv.length; index++) {
		const argument = argv[index] ?? '';
		if (!argument.startsWith('-') || argument === '-') break;
		if (argument === '--json') globals.json = true;
		else if (argument === '--help' || argument === '-h') globals.help = true;
		else if (argument === '--version' || argument === '-V') globals.version = true;
		else if (argument === '-C' || argument === '--folder') globals.folder = argv[++index] ?? '';
		else if (argument.startsWith('--folder=')) globals.folder = argument.slice('--folder='.length);
		else if (argument.startsWith('-C')) globals.folder = argument.slice('-C'.length);
		else throw new NancyError('bad-usage', `there is no option ${argument}; nancy --help lists what there is`);
	}
	const name = argv[index];
	return { globals, rest: argv.slice(index + 1), ...(name !== undefined && { name }) };
}

/** Reads a command's own arguments into one object, and adds the global ones found among them to `globals`. */
export function parseCommandArguments(
	description: CommandDescription,
	rest: readonly string[],
	globals: GlobalArguments,
): Record<string, unknown> {
	const terminator = description.extra === undefined ? -1 : rest.indexOf('--');
	const own = terminator < 0 ? rest : rest.slice(0, terminator);
	const options = { ...globalOptions, ...description.options };
	const { values, positionals } = parse(description, own, options);
	globals.json ||= values['json'] === true;
	globals.help ||= values['help'] === true;
	if (typeof values['folder'] === 'string') globals.folder = values['folder'];
	const input: Record<string, unknown> = Object.fromEntries(
		Object.keys(description.options).flatMap(name => (values[name] === undefined ? [] : [[name, values[name]]])),
	);
	if (description.extra !== undefined) input['extra'] = terminator < 0 ? [] : rest.slice(terminator + 1);
	if (globals.help) return input;
	return { ...input, ...named(description, positionals) };
}

function parse(description: CommandDescription, args: readonly string[], options: Readonly<Record<string, Option>>) {
	try {
		return parseArgs({
			args: [...args],
			allowPositionals: true,
			options: Object.fromEntries(
				Object.entries(options).map(([name, { value, short }]) => [
					name,
					{ type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
				]),
			),
		});
	} catch (error) {
		throw new NancyError('bad-usage', `${errorText(error)}; nancy ${description.name} --help lists the options`);
	}
}

function named(description: CommandDescription, values: readonly string[]): Record<string, unknown> {
	const input: Record<string, unknown> = {};
	let next = 0;
	for (const { name, label, required, many } of description.positionals) {
		const taken = many ? values.slice(next) : values.slice(next, next + 1);
		next += taken.length;
		if (taken.length > 0) input[name] = many ? taken : taken[0];
		else if (required) {
			throw new NancyError('bad-usage', `${label} is missing; nancy ${description.name} --help shows how`);
		}
	}
	if (next < values.length) {
		throw new NancyError(
			'bad-usage',
			`"${values[next]}" is one argument too many; nancy ${description.name} --help shows how`,
		);
	}
	return input;
}
