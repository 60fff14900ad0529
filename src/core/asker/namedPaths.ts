import { homedir } from 'node:os';
import { dirname, extname, isAbsolute, resolve, sep } from 'node:path';
import * as z from 'zod/mini';
import { parseLooseJson } from '../files/looseJson.ts';

/** In characters. Longer settings are whole bundled programs, or data. */
const LONGEST = 128 * 1024;

/** No program: text for a model, what agents edit all day, and data that a server writes while it runs. */
const NO_PROGRAM =
	/\.(?:crt|css|csv|db|html?|jsonc?|jsonl|key|lock|log|mdx?|pem|pid|sqlite3?|svg|toml|txt|xml|ya?ml)$/i;

/** In prose, a name without a folder is mostly no program, unless it ends like this. */
const SCRIPT = /\.(?:bash|bat|[cm]?[jt]sx?|cmd|exe|fish|jar|lua|php|pl|ps1|py|rb|sh|zsh)$/i;

/**
 * What an interpreter surely runs, whatever its name ends like. A shell’s options take no file, but other options do: `ts-node -p
 * tsconfig.json`.
 */
const RUN =
	/(?<![\w.-])(?:(?:a|ba|da|k|z|fi)?sh["'\s,[<]+(?:-[^\s,]*\s+)*|source\s+|(?:bun|deno|lua|node|nodejs|perl|php|pwsh|(?:python|pypy)[\d.]*|ruby|ts-node|tsx)["'\s,[]+)([^\s"';|&,\]-][^\s"';|&,\]]*)/g;

/** What may be modules, whose names end without `.js`. */
const MODULES = /(?<![\w-])(?:bun|deno|node|nodejs|ts-node|tsx)(?![\w-])([^;|&]{0,500})/g;

/** Below these keys of JSON stand rules for tools. */
const RULES = /^permissions?$/;

/** In a text or a list of texts below these keys are texts for a model, and names of files that nothing runs. A server may have such a name. */
const NO_COMMANDS = /^(?:\$schema|description|exclude|fileName|files|ignore|include|instructions|prompt|template)$/;

/** `Edit(src/x.ts)`, wherever it stands. */
const RULE = /^\s*\w+\([^;{}]+\)\s*$/;

/** They stand for a folder, at the beginning of a path: `$CLAUDE_PROJECT_DIR`, `${workspaceFolder}`, `%CD%`, `~`. */
const VARIABLES = /\$\((?:git |pwd)[^)]{0,200}\)|\$\{[^}]{0,200}\}|\{env:\w+\}|\$(?:env:)?\w+|%\w+%|~(?=[/\\])/g;

const HOME = /(?<![^\s"'=:])~(?=[/\\"'\s;&|]|$)|\$\{HOME\}|\$HOME\b|%USERPROFILE%/g;

/** What a hook writes its output to. `=>` of JavaScript is none. */
const OUTPUTS = /(?<!=)>+\s*["']?[^\s"';|&]+/g;

const FOLDERS =
	/(?:\b(?:cd|pushd|cwd|workingDirectory)\b|(?<=\s)(?:-C|--directory|--cwd|--chdir|--prefix|--dir)\b)["']?[\s:=]+(?:--\s+)?(?:"([^"]{1,500})"|'([^']{1,500})'|([^\s"';|&,]+))/g;

/**
 * The most paths that one file may name. Ordinary settings name a few hundred; a file full of folders and words could hold a start up for
 * minutes.
 */
const MOST_PATHS = 20_000;

const SEPARATORS = /[\s"'`=,:;|&<>(){}[\]!]+/;

/** Settings, as a person wrote them. */
export interface NamingFile {
	path: string;
	/** The folder that it is the settings of. */
	at: string;
	text: string;
}

/**
 * Where the programs may be that the commands in settings name: absolute paths, some with `..` in them. Any word may be a path, and most of
 * the files do not exist. What such a program runs in turn is not followed.
 */
export function namedPaths({ path, at, text }: NamingFile): Set<string> {
	if (text.length > LONGEST || /(?:^|[/\\])node_modules[/\\]/.test(path) || isInert(path, text)) return new Set();
	const own = [at, dirname(path)];
	const texts = textsIn(path, text);
	const commands = texts.commands.flatMap(withoutVariables);
	const words = [...commands.flatMap(wordsOf), ...texts.prose.flatMap(withoutVariables).flatMap(programsIn)];
	const bases = basesOf(own, foldersIn([...withoutVariables(text), ...commands]));
	const paths = new Set<string>();
	for (const word of words) {
		if (paths.size > MOST_PATHS) break;
		for (const base of basesFor(word, bases)) for (const path of pathsBelow(base, word)) paths.add(path);
		for (const rest of belowVariable(word, at)) for (const path of pathsBelow(at, rest)) paths.add(path);
	}
	return paths;
}

/** A schema, a picture or a licence beside a skill: nothing runs it, and no CLI reads settings from it. */
const isInert = (path: string, text: string) =>
	!/\.(?:jsonc?|mdx?|toml|ya?ml)$|\.env$/i.test(path) &&
	!SCRIPT.test(path) &&
	extname(path) !== '' &&
	!text.startsWith('#!');

/** Some programs take `a/../x` for `x`. Others, such as a shell, go on from where `a` leads: so it is left in a second path. */
function pathsBelow(base: string, word: string): string[] {
	const rest = word.replace(/^[/\\]+/, '');
	const walked = `${base === '/' ? '' : base}/${rest}`;
	const path = resolve(walked);
	return walked.split('/').includes('..') ? [path, walked] : [path];
}

/** A whole path may also be what a variable left that stood before it. */
const basesFor = (path: string, bases: Iterable<string>) => [...bases, ...(isAbsolute(path) ? ['/'] : [])];

/** The folders that a command may work in. One may be below the one before: `cd a && cd b`. */
function basesOf(own: readonly string[], folders: readonly string[]): Set<string> {
	const bases = new Set(own);
	let before: readonly string[] = [];
	for (const folder of new Set(folders)) {
		const below = (places: readonly string[]) => places.flatMap(base => pathsBelow(base, folder));
		for (const base of below(before)) bases.add(base);
		before = below(basesFor(folder, own));
		for (const base of before) bases.add(base);
	}
	return bases;
}

/** Without those that may stand for any folder, and once with the user's home in the place of its own. */
function withoutVariables(text: string): string[] {
	const readings = [text, text.replaceAll(HOME, () => homedir())];
	return [...new Set(readings.map(each => each.replaceAll(VARIABLES, '')))];
}

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

/** The commands in settings, and prose that may have some in it. */
function textsIn(path: string, text: string): { commands: string[]; prose: string[] } {
	if (/\.jsonc?$/.test(path)) {
		try {
			const value = parseLooseJson(text);
			const modules = MODULE_SETTINGS.test(path) ? Modules.safeParse(value) : undefined;
			return { commands: modules?.success ? modulesOf(modules.data) : commandsOfJson(value), prose: [] };
		} catch {
			return { commands: [], prose: [text] }; // no JSON: all of it counts
		}
	}
	if (/\.mdx?$/i.test(path)) {
		// Hooks and servers are nested in the head. Other text is for the model.
		const [, head = ''] = /^\ufeff?\s*---[ \t]*\r?\n(.*?)\r?\n---/s.exec(text) ?? [];
		const isFlow = head.includes('{');
		const nested = head
			.split(/\r?\n/)
			.filter(line => (isFlow || /^\s/.test(line)) && !RULE.test(line.replace('-', '')));
		return { commands: [...inlineCommands(text), ...serverLines(head)], prose: nested.map(withoutEscapes) };
	}
	if (/\.(?:toml|ya?ml)$|\.env$/.test(path)) return { commands: serverLines(text), prose: [withoutEscapes(text)] };
	// The texts of JavaScript count.
	if (!/\.[cm]?[jt]sx?$/.test(path)) return { commands: [], prose: [text.replace(/(?:^|\s)#.*$/gm, '')] };
	const texts = text.split(/["'`\r\n]/).filter(word => /^[^\s(){};]*[./\\][^\s(){};]*$/.test(word));
	return { commands: [], prose: texts };
}

const MODULE_SETTINGS = /(?:^|\/)[jt]sconfig\.json$/;

const Modules = z.looseObject({
	extends: z.optional(z.union([z.string(), z.array(z.string())])),
	compilerOptions: z.optional(z.looseObject({ paths: z.optional(z.record(z.string(), z.array(z.string()))) })),
});

/** The bases and the modules, from the many names of files there. A base counts though it is data: `source` names a file that runs. */
function modulesOf({ extends: bases = [], compilerOptions }: z.infer<typeof Modules>): string[] {
	const named = [bases].flat().map(base => `source ${base}; source ${base}.json`);
	return [...named, ...Object.values(compilerOptions?.paths ?? {}).flat()];
}

function commandsOfJson(value: unknown, isText = false): string[] {
	if (typeof value === 'string') {
		if (isText) return inlineCommands(value);
		return RULE.test(value) ? [] : [value];
	}
	if (typeof value !== 'object' || value === null) return [];
	const { command, args } = { command: undefined, args: undefined, ...value };
	const line = Array.isArray(args) || Array.isArray(command) ? [lineOf([command, args].flat())] : [];
	const parts = Object.entries(value).flatMap(([key, each]) =>
		commandsOfJson(
			each,
			isText || (RULES.test(key) && !isServer(each)) || (NO_COMMANDS.test(key) && isTexts(each)),
		),
	);
	return isText ? parts : [...line, ...parts];
}

/** As a shell would get it. */
function lineOf(words: readonly unknown[]): string {
	const texts = words.filter(word => typeof word === 'string');
	return texts.map(word => (/[\s']/.test(word) ? `"${word}"` : word)).join(' ');
}

/** One may be called `permissions`. */
const isServer = (value: unknown) => typeof value === 'object' && value !== null && 'command' in value;

const isTexts = (value: unknown) => [value].flat().every(each => typeof each === 'string');

/** Several CLIs run them before the model gets the text. Claude Code runs a block that begins with ```!, too. */
function inlineCommands(text: string): string[] {
	return text.match(/```!.*?(?:```|$)|!`[^`]*`|!\{[^}]{0,2000}\}/gs) ?? [];
}

const COMMAND = /\bcommand["']?\s*[:=]\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,{}[\]]+))/g;
const ARGS =
	/\b(?:args|command|notify)["']?\s*[:=]\s*(?:\[((?:"[^"\n]*"|'[^'\n]*'|[^\]"'])*)\]|((?:\r?\n\s*-\s[^\n]*)+))/g;
const ARG = /"([^"\n]*)"|'([^'\n]*)'|([^\s,"']+)/g;

/** The lines of TOML and YAML that start programs. Their order does not tell which arguments go with which command. */
function serverLines(settings: string): string[] {
	const text = withoutEscapes(settings);
	const lists = firstGroups(text, ARGS).map(list => firstGroups(list.replaceAll(/^\s*-\s/gm, ' '), ARG));
	const commands = firstGroups(text, COMMAND).map(command => [command]);
	return [...commands, ...lists, ...commands.flatMap(command => lists.map(list => [...command, ...list]))].map(
		lineOf,
	);
}

/** A text of TOML or YAML without its escapes: `\u002f` is a slash. */
function withoutEscapes(text: string): string {
	return text.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2}))/gi, (_, long?: string, short?: string) =>
		String.fromCharCode(Number.parseInt(long ?? short ?? '', 16)),
	);
}

/** Any word of a command may be a path, also one with a space, so the parts between quotes are words, too. */
function wordsOf(command: string): string[] {
	const text = command.replaceAll(OUTPUTS, ' ');
	return namesAmong(text, allWords(text), firstGroups(text, MODULES).flatMap(split));
}

/** The programs that prose names. Paths count, words that end like a script, and the first word behind an interpreter. */
function programsIn(prose: string): string[] {
	const text = prose.replaceAll(OUTPUTS, ' ');
	const words = allWords(text).filter(word => /[/\\]/.test(word) || SCRIPT.test(word));
	return namesAmong(text, words, firstGroups(text, RUN));
}

export const isScript = (path: string) => SCRIPT.test(path);

const split = (text: string) => text.split(SEPARATORS);

const allWords = (text: string) =>
	[text, ...text.split('"'), ...text.split(/["'`]/), ...split(text)].map(word =>
		// A file may stand right behind a flag: `-r./x.js`.
		word.trim().replace(/^(?:file:\/\/|-[a-z](?=\.{0,2}[/\\]))/i, ''),
	);

/** @param modules may be named without `.js`, as Node finds a module; so may paths */
function namesAmong(text: string, words: readonly string[], modules: readonly string[]): string[] {
	const escaped = text
		.split(/(?<!\\)[\s"'`,;|&<>()]+/)
		.filter(word => word.includes('\\ '))
		.map(word => word.replaceAll(/\\+(.)/g, '$1'));
	const endless = [...words.filter(word => /[/\\]/.test(word)), ...modules].filter(word => extname(word) === '');
	const programs = [...words, ...escaped, ...endless.flatMap(word => [`${word}.js`, `${word}.ts`])];
	return [...programs.filter(word => !NO_PROGRAM.test(word)), ...firstGroups(text, RUN)].filter(
		word => /^[^\0\r\n]{1,1023}$/.test(word) && word !== '.js' && word !== '.ts',
	);
}

function firstGroups(text: string, pattern: RegExp): string[] {
	return Array.from(text.matchAll(pattern), ([, ...groups]) => groups.find(group => group !== undefined) ?? '');
}
