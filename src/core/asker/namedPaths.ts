import { dirname, extname, isAbsolute, resolve, sep } from 'node:path';
import { parseLooseJson } from '../files/looseJson.ts';

/** In characters. Longer settings are whole bundled programs, or data. */
const LONGEST = 128 * 1024;

/** No program: text for a model, what agents edit all day, and data that a server writes while it runs. */
const NO_PROGRAM =
	/\.(?:crt|css|csv|db|html?|jsonc?|jsonl|key|lock|log|mdx?|pem|pid|sqlite3?|svg|toml|txt|xml|ya?ml)$/i;

/**
 * What an interpreter surely runs, whatever its name ends like. A shell’s options take no file, but other options do: `ts-node -p
 * tsconfig.json`.
 */
const RUN =
	/(?<![\w.-])(?:(?:a|ba|da|k|z|fi)?sh["'\s,[]+(?:-\S*\s+)*|(?:bun|deno|lua|node|nodejs|perl|php|pwsh|(?:python|pypy)[\d.]*|ruby|ts-node|tsx)["'\s,[]+)([^\s"';|&,\]-][^\s"';|&,\]]*)/g;

/** What may be modules, whose names end without `.js`. */
const MODULES = /(?<![\w-])(?:bun|deno|node|nodejs|ts-node|tsx)(?![\w-])([^;|&]{0,500})/g;

/** Below these keys of JSON stand rules for tools. */
const RULES = /^permissions?$/;

/** In a text or a list of texts below these keys are texts for a model, and names of files that nothing runs. A server may have such a name. */
const NO_COMMANDS = /^(?:\$schema|description|exclude|fileName|files|ignore|include|instructions|prompt|template)$/;

/** `Edit(src/x.ts)`, wherever it stands. */
const RULE = /^\s*\w+\(.*\)\s*$/s;

/** They stand for a folder, at the beginning of a path: `$CLAUDE_PROJECT_DIR`, `${workspaceFolder}`, `%CD%`, `~`. */
const VARIABLES = /\$\(git [^)]{0,200}\)|\$\{[^}]{0,200}\}|\{env:\w+\}|\$(?:env:)?\w+|%\w+%|~(?=[/\\])/g;

/** What a hook writes its output to. `=>` of JavaScript is none. */
const OUTPUTS = /(?<!=)>+\s*["']?[^\s"';|&]+/g;

const FOLDERS =
	/(?:\b(?:cd|pushd|cwd|workingDirectory)\b|(?<=\s)(?:-C|--directory|--cwd)\b)["']?[\s:=]+(?:--\s+)?(?:"([^"]+)"|'([^']+)'|([^\s"';|&,]+))/g;

const SEPARATORS = /[\s"'`=,:;|&<>(){}[\]!]+/;

/** Settings, as a person wrote them. */
export interface NamingFile {
	path: string;
	/** The folder that it is the settings of. */
	at: string;
	text: string;
}

/**
 * Where the programs may be that the commands in settings name. Any word may be a path, and most of the files do not exist. What such a
 * program runs in turn is not followed.
 */
export function namedPaths({ path, at, text }: NamingFile): Set<string> {
	if (text.length > LONGEST || path.includes('node_modules')) return new Set();
	const own = [at, dirname(path)];
	const commands = commandsIn(path, text).map(command => command.replaceAll(VARIABLES, ''));
	const bases = new Set([
		...own,
		...foldersIn([text.replaceAll(VARIABLES, ''), ...commands]).flatMap(folder =>
			own.map(base => resolve(base, withoutRoot(folder))),
		),
	]);
	const paths = new Set<string>();
	for (const word of commands.flatMap(wordsOf)) {
		if (isAbsolute(word)) paths.add(resolve(word));
		for (const base of bases) paths.add(resolve(base, withoutRoot(word)));
		for (const rest of belowVariable(word, at)) paths.add(resolve(at, rest));
	}
	return paths;
}

const withoutRoot = (path: string) => path.replace(/^[/\\]+/, '');

function foldersIn(texts: readonly string[]): string[] {
	return texts
		.flatMap(text => [...text.replaceAll(/""|''/g, '').matchAll(FOLDERS)])
		.map(([, double, single, plain]) => double ?? single ?? plain ?? '');
}

/** `/ws/x.sh` was `$HOME/ws/x.sh`, and means `x.sh` in the folder `ws`. */
function belowVariable(word: string, at: string): string[] {
	const parts = word.split(/[/\\]+/).filter(part => part !== '');
	const ends = (count: number) => `${at}${sep}`.endsWith(sep + parts.slice(0, count).join(sep) + sep);
	return parts.flatMap((_, index) => (index > 0 && ends(index) ? [parts.slice(index).join(sep)] : []));
}

/** The parts of settings that can run something. */
function commandsIn(path: string, text: string): string[] {
	if (/\.jsonc?$/.test(path)) {
		try {
			return commandsOfJson(parseLooseJson(text));
		} catch {
			return [text]; // no JSON: all of it counts
		}
	}
	if (/\.mdx?$/i.test(path)) {
		// Hooks and servers are nested in the head. Other text is for the model.
		const [, head = ''] = /^---\r?\n(.*?)\r?\n---/s.exec(text) ?? [];
		return [
			...head.split(/\r?\n/).filter(line => /^\s/.test(line) && !RULE.test(line.replace('-', ''))),
			...inlineCommands(text),
		];
	}
	if (/\.(?:toml|ya?ml)$|\.env$/.test(path)) return [text];
	// Of JavaScript, its texts count.
	if (!/\.[cm]?[jt]sx?$/.test(path)) return [text.replace(/(?:^|\s)#.*$/gm, '')];
	return text.split(/["'`\r\n]/).filter(word => /^[^\s(){};]*[./\\][^\s(){};]*$/.test(word));
}

function commandsOfJson(value: unknown, isText = false): string[] {
	if (typeof value === 'string') {
		if (isText) return inlineCommands(value);
		return RULE.test(value) ? [] : [value];
	}
	if (typeof value !== 'object' || value === null) return [];
	const { command, args } = { command: '', args: undefined, ...value };
	const line = Array.isArray(args) ? [[command, ...args].join(' ')] : [];
	const parts = Object.entries(value).flatMap(([key, each]) =>
		commandsOfJson(each, isText || RULES.test(key) || (NO_COMMANDS.test(key) && isTexts(each))),
	);
	return isText ? parts : [...line, ...parts];
}

const isTexts = (value: unknown) => [value].flat().every(each => typeof each === 'string');

/** Several CLIs run them before the model gets the text. */
function inlineCommands(text: string): string[] {
	return text.match(/!`[^`]*`|!\{[^}]{0,2000}\}/g) ?? [];
}

/** Any word may be a path, also one with a space, so the parts between quotes are words, too. */
function wordsOf(command: string): string[] {
	const text = command.replaceAll(OUTPUTS, ' ');
	const split = (each: string) => each.split(SEPARATORS);
	const words = [text, ...text.split(/["'`]/), ...split(text)].map(word => word.trim().replace(/^file:\/\//, ''));
	const escaped = text
		.split(/(?<!\\)[\s"'`,;|&<>()]+/)
		.filter(word => word.includes('\\ '))
		.map(word => word.replaceAll(/\\+(.)/g, '$1'));
	// As Node finds a module.
	const modules = [...words.filter(word => /[/\\]/.test(word)), ...firstGroups(text, MODULES).flatMap(split)]
		.filter(word => word !== '' && extname(word) === '')
		.flatMap(word => [`${word}.js`, `${word}.ts`]);
	const programs = [...words, ...escaped, ...modules].filter(word => !NO_PROGRAM.test(word));
	return [...programs, ...firstGroups(text, RUN)].filter(
		word => word !== '' && word.length < 1024 && !/[\0\r\n]/.test(word),
	);
}

function firstGroups(text: string, pattern: RegExp): string[] {
	return [...text.matchAll(pattern)].map(([, group = '']) => group);
}
