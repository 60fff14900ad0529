import { statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isInside } from '../../base/inside.ts';
import { realOr, realPlace } from '../../base/realPath.ts';
import type { Question, Risk } from '../../protocol/question.ts';
import type { AskedRequest } from '../driver/asking.ts';
import { parseLine } from '../files/jsonLines.ts';
import { isYes } from './reply.ts';
import { gitRunsUnread, INTERPRETER, runsUnread } from './runsUnread.ts';
import { commandsIn, type ShellCommand } from './shellCommands.ts';

/** Where an agent works, and what is nobody's business there. */
export interface Surroundings {
	/** The workspace folder first, then a worktree of the agent's own. */
	readonly folders: readonly string[];
	readonly home: string;
	/** Names of agents' own settings. */
	readonly settings: readonly string[];
}

/**
 * Why a request deserves a closer look. It is a hint for a person and no proof: nobody can tell what a program of the workspace does. What
 * cannot be read plainly counts as a risk itself. docs/security.md has the list.
 */
export function risksOf(request: AskedRequest, surroundings: Surroundings): Risk[] {
	// What an agent asks its user, and a plan, run nothing.
	if (request.kind !== 'tool') return [];
	const found = new Set<Risk>();
	const places = new Places(surroundings, request.cwd ?? surroundings.folders[0] ?? '/', found);
	places.see(request.cwd ?? '.');
	for (const file of request.files) places.see(file);
	for (const { name, value } of request.also) {
		if (/sandbox/i.test(name) && value !== 'false') found.add('sandbox');
		// It may be what is run, or what a command gets: `{"command": "rm", "args": […]}`.
		if (RUNS.test(name) && !(name === 'shell' && PLAIN_SHELL.test(value))) found.add('unread');
		if (isJson(value)) seeJson(value, places, found);
		else for (const line of value.split('\n')) places.seeIn(line);
	}
	seeBody(request, places, found);
	return [...found].toSorted();
}

/** Whether this answer needs a person at the computer. Without a look at the request it does. */
export function isRisky({ risk }: Pick<Question, 'risk'>, effect: Parameters<typeof isYes>[0]): boolean {
	return isYes(effect) && (risk === undefined || risk.length > 0);
}

/** No person reads a longer one to its end. In UTF-16 units. */
const LONGEST_COMMAND = 16 * 1024;

function seeBody({ tool, body, bodyIs, files }: AskedRequest, places: Places, found: Set<Risk>): void {
	switch (bodyIs) {
		case 'command': {
			// Another shell than POSIX has other rules.
			const isReadable = body.length <= LONGEST_COMMAND && !/power/i.test(tool);
			const commands = isReadable ? commandsIn(body) : undefined;
			if (!commands) found.add('unread');
			else seeCommands(commands, places, found);
			return;
		}
		case 'json':
			return seeJson(body, places, found);
		default:
			if (files.length === 0) found.add('unread');
	}
}

/** Parts of a tool's input by which it runs something. Each has a description, which runs nothing. */
const RUNS = /(?<!de)(?:command|cmd|script|shell|exec|sql)|\bcode\b/i;

function isJson(value: string): boolean {
	return /^\s*[[{]/.test(value) && parseLine(value) !== undefined;
}

/** What Codex names beside a command: the shell that runs it as it stands there. */
const PLAIN_SHELL = /^(?:ba|da|k|z)?sh(?: -l?c)?$/;

function seeJson(body: string, places: Places, found: Set<Risk>): void {
	const see = (value: unknown): void => {
		if (typeof value === 'string') for (const line of value.split('\n')) places.seeIn(line);
		if (typeof value !== 'object' || value === null) return;
		for (const [name, each] of Object.entries(value)) {
			if (RUNS.test(name)) found.add('unread');
			see(each);
		}
	};
	try {
		see(JSON.parse(body));
	} catch {
		found.add('unread');
	}
}

const ADMINISTRATORS = new Set(['sudo', 'doas', 'su', 'pkexec', 'run0']);
const DOWNLOADERS = new Set(['curl', 'wget', 'http', 'https', 'fetch', 'aria2c']);

/** Folders of the programs that everybody has. */
const COMMON = new Set(['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']);

function seeCommands(commands: readonly ShellCommand[], places: Places, found: Set<Risk>): void {
	let isDownload = false;
	// `cd` alone before anything else, that must succeed. A list in the background is another shell's.
	let isSure = commands.every(({ end }) => end !== '&');
	for (const { words, files, isPiped, end } of commands) {
		isSure &&= words[0] === 'cd' && words.length === 2 && files.length === 0 && end === '&&';
		for (const file of files) places.see(file);
		const given = ADMINISTRATORS.has(nameOf(words)) ? words.slice(1) : words;
		if (given !== words) found.add('administrator');
		for (const word of given.slice(1)) places.seeIn(word);
		const [called = ''] = given;
		const name = nameOf(given);
		if (called.includes('/') && !COMMON.has(dirname(called))) places.see(called);
		isDownload = DOWNLOADERS.has(name) || (isPiped && isDownload);
		seeProgram({ called, args: given.slice(1), isPiped, isSure }, places, found);
		if (isPiped && isDownload && INTERPRETER.test(name)) found.add('download');
	}
}

interface Called {
	/** As the line names it. */
	readonly called: string;
	readonly args: readonly string[];
	readonly isPiped: boolean;
	/** Whether what comes next runs only where `cd` has led. */
	readonly isSure: boolean;
}

function seeProgram({ called, args, isPiped, isSure }: Called, places: Places, found: Set<Risk>): void {
	const name = basename(called);
	const words = args.filter(arg => !arg.startsWith('-'));
	if (runsUnread(called, args, isPiped)) found.add('unread');
	if (name === 'cd') places.enter(args, isSure);
	if (name === 'git') seeGit(args, found);
	const isDeep = name === 'rm' && args.some(arg => /^-[a-z]*r|^--r/i.test(arg));
	if (isDeep && words.some(word => places.isAll(word))) found.add('deletes');
	const isPush = /^(?:docker|podman|gem)$/.test(name) && words[0] === 'push';
	if (isPush || name === 'twine' || words.slice(0, 2).includes('publish')) found.add('publish');
}

/** Options of git that only say where and how it prints. */
const PLAIN_OPTIONS = /^(?:-C|-p|-P|--paginate|--no-pager|--no-optional-locks)$/;

function seeGit(args: readonly string[], found: Set<Risk>): void {
	const at = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-C');
	const before = args.slice(0, Math.max(at, 0)).filter(arg => arg.startsWith('-'));
	if (!before.every(option => PLAIN_OPTIONS.test(option))) found.add('git-settings');
	const rest = args.slice(at + 1);
	const options = rest.slice(0, [...rest, '--'].indexOf('--'));
	const isLook = options.some(arg => /^(?:--get.*|--list|-l)$/.test(arg)) || /^(?:get|list)$/.test(rest[0] ?? '');
	const command = args[at] ?? '';
	if (command === 'config' && !isLook && rest.length !== 1) found.add('git-settings');
	if (command === 'clone' && options.some(arg => /^(?:-c|--conf)/.test(arg))) found.add('git-settings');
	if (gitRunsUnread(command, rest)) found.add('unread');
	if (command === 'clean' && options.some(arg => /^(?:-[a-z]*f|--fo)/.test(arg))) found.add('deletes');
	const forces = /^(?:-[a-z]*[fd]|--force|--mirror|--delete|--prune|[+:])/;
	if (command === 'push' && rest.some(arg => forces.test(arg))) found.add('force-push');
}

function nameOf([called = '']: readonly string[]): string {
	return basename(called);
}

/** A file by whose name it may hold a key. */
const KEYS = /^(?:id_[a-z0-9]+|credentials.*|secrets?\..*|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx))$/i;

const STREAMS = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty']);

/** So many places are looked up on the disk, and names of this length, in UTF-16 units. */
const MOST_PLACES = 2000;
const LONGEST_PATH = 4096;

/** So many folders are kept in which a shell may be. */
const MOST_SHELLS = 16;

/** The places that a request names. */
class Places {
	private readonly roots: readonly string[];
	/** Where the shell may be: `cd` may have failed, or be another shell's. */
	private shells: readonly string[];
	private seen = 0;

	constructor(
		private readonly own: Surroundings,
		cwd: string,
		private readonly found: Set<Risk>,
	) {
		this.shells = [resolve(own.folders[0] ?? '/', cwd)];
		this.roots = own.folders.map(realOr);
	}

	/** Looks at each place that a word or a line of text may name: `--out=/tmp/x`, `-I/usr/include`, `me@host:/etc`. */
	seeIn(word: string): void {
		// An address. With `..` in it, it may also be a path through a folder of that name.
		const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(word) && !/^file:/i.test(word);
		if (isAddress && !word.split('/').includes('..')) return;
		const inOption = /^-\w+?([/~.].*)$/s.exec(word)?.[1];
		const parts = [...word.split(/[=:,@]/), inOption ?? ''];
		// A blank may follow what splits (`*** Add File: x`), and may also be a part of the name.
		for (const each of new Set(parts.flatMap(part => [part, part.trim()])))
			if (each !== '' && !each.startsWith('-')) this.see(each);
	}

	see(name: string): void {
		for (const shell of this.shells) this.seeFrom(shell, name);
	}

	private seeFrom(shell: string, name: string): void {
		if (++this.seen > MOST_PLACES || name.length > LONGEST_PATH) return void this.found.add('unread');
		const path = this.pathOf(shell, name);
		if (STREAMS.has(path)) return;
		const root = this.rootOf(path);
		if (root === undefined) this.found.add('outside');
		// The folder above is another one behind a link.
		else if (/(?:^|\/)(?!\.\.?\/)[^/]+\/\.\.(?:\/|$)/.test(name)) this.found.add('unread');
		const parts = (root === undefined ? path : relative(root, path)).split(sep);
		const isOwn = (part: string) => this.own.settings.includes(part);
		if (parts.some(part => /^\.(?!\.?$)/.test(part) || isOwn(part))) this.found.add('hidden');
		if (KEYS.test(parts.at(-1) ?? '')) this.found.add('keys');
	}

	/** Whether a folder is the workspace itself, or nothing of it. Patterns at its end that match nearly any name mean what is in the folder. */
	isAll(name: string): boolean {
		if (this.seen > MOST_PLACES) return true;
		const parts = name.split('/');
		const last = parts.findLastIndex(part => part !== '' && !matchesAny(part));
		const folder = parts.slice(0, last + 1).join('/');
		const top = name.startsWith('/') ? '/' : '.';
		return this.shells.some(shell => {
			const path = this.pathOf(shell, folder || top);
			return this.rootOf(path) === undefined || this.roots.includes(path);
		});
	}

	/** `cd`: the following names begin there. */
	enter(args: readonly string[], isSure: boolean): void {
		const name = args.find(arg => !arg.startsWith('-')) ?? '~';
		if (name.length > LONGEST_PATH || args.includes('-')) return void this.found.add('unread');
		this.see(name);
		const entered = this.shells.map(shell => this.pathOf(shell, name));
		const shells = isSure && entered.every(isFolder) ? entered : [...new Set([...this.shells, ...entered])];
		if (shells.length > MOST_SHELLS) this.found.add('unread');
		else this.shells = shells;
	}

	private pathOf(shell: string, name: string): string {
		const { home } = this.own;
		const isHome = name === '~' || name.startsWith('~/');
		// Another home is beside this one, or elsewhere.
		const path = isHome ? join(home, name.slice(1)) : name.replace(/^~/, `${dirname(home)}/`);
		return realPlace(resolve(shell, path));
	}

	private rootOf(path: string): string | undefined {
		return this.roots.find(root => isInside(root, path));
	}
}

/** Whether a part of a path is a pattern without a letter of its own: `*`, `[a-z]*`, `.[!.]*`. */
function matchesAny(part: string): boolean {
	return /[*?[]/.test(part) && /^(?:\[[!^]?\]?[^\]]*\]|[*?.])+$/.test(part);
}

function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		return false;
	}
}
