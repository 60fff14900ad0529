import { dirname, extname, isAbsolute, resolve } from 'node:path';
import { parseLooseJson } from '../files/looseJson.ts';

/** In characters. Longer settings are whole bundled programs, or data. */
const LONGEST = 128 * 1024;

/** No program: text for a model, what agents edit all day, and data that a server writes while it runs. */
const NO_PROGRAM =
	/\.(?:crt|css|csv|db|html?|jsonc?|jsonl|key|lock|log|mdx?|out|pem|pid|sqlite3?|svg|toml|txt|xml|ya?ml)$/i;

/** A name without a folder is mostly no file, unless it ends like this, or {@link INTERPRETED} finds it. */
const SCRIPT = /\.(?:bash|bat|[cm]?[jt]sx?|cmd|exe|fish|jar|lua|php|pl|ps1|py|rb|sh|zsh)$/i;

/** What an interpreter runs: the first word behind it that is no option. */
const INTERPRETED =
	/(?<![\w-])(?:(?:ba|da|k|z|fi)?sh|bun|deno|lua|node|perl|php|pwsh|python[\d.]*|ruby|source|ts-node|tsx)["'\s,:=[]+(?:-\S*\s+|run\s+)*([^\s"';|&,\]]+)/g;

/**
 * What an interpreter surely runs, whatever its name ends like. A shell’s options take no file, but other options do: `ts-node -p
 * tsconfig.json`.
 */
const RUN =
	/(?<![\w.-])(?:(?:ba|da|k|z|fi)?sh["'\s,[]+(?:-\S*\s+)*|(?:bun|deno|lua|node|perl|php|pwsh|python[\d.]*|ruby|ts-node|tsx)["'\s,[]+)([^\s"';|&,\]-][^\s"';|&,\]]*)/g;

/** Below these keys of JSON stand rules for tools, texts for a model, and names of files that nothing runs. */
const NO_COMMANDS =
	/^(?:\$schema|description|exclude|fileName|files|ignore|include|instructions|permissions?|prompt|template)$/;

/** `Edit(src/x.ts)`, wherever it stands. */
const RULE = /^\s*\w+\(.*\)\s*$/s;

/** They stand for a folder, at the beginning of a path: `$CLAUDE_PROJECT_DIR`, `${workspaceFolder}`, `%CD%`, `~`. */
const VARIABLES = /\$\(git [^)]{0,200}\)|\$\{[^}]{0,200}\}|\{env:\w+\}|\$(?:env:)?\w+|%\w+%|~(?=[/\\])/g;

/** What a hook writes its output to. `=>` of JavaScript is none. */
const OUTPUTS = /(?<!=)>+\s*["']?[^\s"';|&]+/g;

const FOLDERS = /\b(?:cd|cwd|workingDirectory)\b["'\s:=]+([^\s"';|&,]+)/g;

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
	const below = [...text.replaceAll(VARIABLES, '').matchAll(FOLDERS)].map(([, folder = '']) => folder);
	const bases = new Set([
		...own,
		...below.flatMap(folder => own.map(base => resolve(base, folder.replace(/^[/\\]+/, '')))),
	]);
	const paths = new Set<string>();
	for (const word of commandsIn(path, text).flatMap(wordsOf)) {
		// As Node finds a module.
		for (const name of extname(word) === '' ? [word, `${word}.js`, `${word}.ts`] : [word]) {
			if (isAbsolute(name)) paths.add(resolve(name));
			for (const base of bases) paths.add(resolve(base, name.replace(/^[/\\]+/, '')));
		}
	}
	return paths;
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
	const parts = Object.entries(value).flatMap(([key, each]) => commandsOfJson(each, isText || NO_COMMANDS.test(key)));
	return isText ? parts : [...line, ...parts];
}

/** Several CLIs run them before the model gets the text. */
function inlineCommands(text: string): string[] {
	return text.match(/!`[^`]*`|!\{[^}]{0,2000}\}/g) ?? [];
}

/** A path may contain a space, so the parts between quotes are words, too. */
function wordsOf(command: string): string[] {
	const text = command.replaceAll(VARIABLES, '').replaceAll(OUTPUTS, ' ');
	const words = [text, ...text.split(/["'`]/), ...text.split(SEPARATORS)]
		.map(word => word.trim().replace(/^file:\/\//, ''))
		.filter(word => /[/\\]/.test(word) || SCRIPT.test(word));
	const escaped = text
		.split(/(?<!\\)[\s"'`,;|&<>()]+/)
		.filter(word => word.includes('\\ '))
		.map(word => word.replaceAll(/\\+(.)/g, '$1'));
	const programs = [...words, ...escaped, ...firstWords(text, INTERPRETED)].filter(word => !NO_PROGRAM.test(word));
	return [...programs, ...firstWords(text, RUN)].filter(word => word.length < 1024 && !/[\0\r\n]/.test(word));
}

function firstWords(text: string, interpreted: RegExp): string[] {
	return [...text.matchAll(interpreted)].map(([, word = '']) => word);
}
