import { globalOptions } from './arguments.ts';
import type { Command } from './command.ts';
import type { CommandDescription, Option } from './description.ts';
import { exitCodeMeanings } from './failure.ts';

export function mainHelp(commands: readonly Command[]): string {
	return [
		'nancy: start command-line agents, steer them while they work, and see what they do.',
		'',
		'Usage: nancy [options] <command> [arguments]',
		'',
		'Commands:',
		...columns(commands.map(command => [[command.name, ...(command.aliases ?? [])].join(', '), command.summary])),
		'',
		'Options:',
		...columns([...optionRows(globalOptions), ['-V, --version', 'print the version']]),
		'',
		'The workspace is the folder with .nancy that is nearest to the current one, upwards; in a terminal that',
		'Nancy started, it is that of the terminal (NANCY_TASK_DIR). -C wins over both.',
		'',
		'Exit codes:',
		...columns(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning])),
		'',
		'nancy <command> --help explains a command.',
	].join('\n');
}

export function commandHelp(command: CommandDescription): string {
	const { name, aliases = [], summary, details, positionals, options, extra, examples } = command;
	const labels = positionals.map(({ label, required, many }) => {
		const shown = many ? `${label}…` : label;
		return required ? shown : `[${shown}]`;
	});
	const arguments_ = [
		...positionals.map(({ label, help }) => [label, help] as const),
		...(extra === undefined ? [] : [['-- …', extra] as const]),
	];
	return [
		`nancy ${name}: ${summary}`,
		'',
		`Usage: nancy ${[name, '[options]', ...labels, ...(extra === undefined ? [] : ['[-- …]'])].join(' ')}`,
		...(aliases.length > 0 ? [`Also:  nancy ${aliases.join(', nancy ')}`] : []),
		...details.flatMap(paragraph => ['', ...wrap(paragraph)]),
		...(arguments_.length > 0 ? ['', 'Arguments:', ...columns(arguments_)] : []),
		'',
		'Options:',
		...columns(optionRows({ ...options, ...globalOptions })),
		...(examples.length > 0
			? ['', 'Examples:', ...examples.flatMap(([line, does]) => [`  ${line}`, `      ${does}`])]
			: []),
	].join('\n');
}

function optionRows(options: Readonly<Record<string, Option>>): (readonly [string, string])[] {
	return Object.entries(options).map(([name, { value, short, help }]) => [
		`${short ? `-${short}, ` : '    '}--${name}${value === undefined ? '' : ` ${value}`}`,
		help,
	]);
}

function columns(rows: readonly (readonly [left: string, right: string])[]): string[] {
	const width = Math.max(...rows.map(([left]) => left.length));
	return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}

const LINE_WIDTH = 100;

function wrap(paragraph: string): string[] {
	const lines = [''];
	for (const word of paragraph.split(' ')) {
		const line = lines.at(-1) ?? '';
		if (line !== '' && line.length + 1 + word.length > LINE_WIDTH) lines.push(word);
		else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
	}
	return lines;
}
