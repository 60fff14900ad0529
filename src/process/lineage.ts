import { readFileSync, readlinkSync } from 'node:fs';
import type { Ancestor, Lineage } from '../core/asker/asker.ts';
import { psSync } from './ps.ts';

/** Nobody nests processes deeper, and nobody can hide a process by nesting deeper. A chain without an end is not followed. */
const DEEPEST = 10_000;

/**
 * This process with its environment, and the processes above it. Linux reads /proc: 0.1 ms for each process. macOS uses one `ps`, which
 * shows the environment of the user's own processes. On Windows only the environment decides.
 */
export function lineageOf(env: Lineage['env']): Lineage {
	if (process.platform === 'linux') return fromProc(env);
	if (process.platform === 'darwin') return fromPs(env, psTable());
	return { env, folder: process.cwd(), ancestors: [], isOrphan: false };
}

/** A process of this machine, by its pid; `undefined` if it has ended, or is unreadable. */
export function processAt(pid: number): Ancestor | undefined {
	if (process.platform === 'linux') return inProc(pid, statOf(pid));
	if (process.platform === 'darwin') return inPs(pid, entriesOf(psTable()).get(pid));
	return undefined;
}

interface Stat {
	parent: number;
	session: number;
	startedTicks: number;
}

function fromProc(env: Lineage['env']): Lineage {
	let child = { pid: process.pid, stat: statOf(process.pid) };
	const session = child.stat?.session;
	let isOrphan = child.stat?.parent === 0 && session !== child.pid;
	const ancestors: Ancestor[] = [];
	for (let pid = child.stat?.parent ?? 0; pid > 0 && ancestors.length < DEEPEST;) {
		const stat = statOf(pid);
		// A child begins in the session of its parent, or leads one of its own. Below a parent of another session it is adopted. Above the
		// one that leads the session, that is so on many desktops.
		isOrphan ||= child.stat?.session === session && session !== child.pid && stat?.session !== session;
		const found = inProc(pid, stat);
		if (!stat || !found) break;
		ancestors.push(found);
		child = { pid, stat };
		pid = stat.parent;
	}
	return { env, folder: process.cwd(), ancestors, isOrphan };
}

function inProc(pid: number, stat: Stat | undefined): Ancestor | undefined {
	return (
		stat && {
			pid,
			startedTicks: stat.startedTicks,
			env: variablesOf(read(`/proc/${pid}/environ`)),
			executable: link(`/proc/${pid}/exe`),
			args: read(`/proc/${pid}/cmdline`).split('\0').slice(0, 8),
			folder: link(`/proc/${pid}/cwd`),
		}
	);
}

/** Fields of /proc/<pid>/stat count from the last ")": the command name may hold spaces and parentheses. */
function statOf(pid: number): Stat | undefined {
	const stat = read(`/proc/${pid}/stat`);
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [parent, session, startedTicks] = [fields[1], fields[3], fields[19]].map(Number);
	if (parent === undefined || session === undefined || startedTicks === undefined || stat === '') return undefined;
	return { parent, session, startedTicks };
}

function variablesOf(environ: string): Lineage['env'] {
	return Object.fromEntries(
		environ.split('\0').flatMap(entry => {
			const at = entry.indexOf('=');
			return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
		}),
	);
}

/** Empty for a process that has ended, is another user's, or hides itself. */
function read(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}

function link(file: string): string | undefined {
	try {
		return readlinkSync(file);
	} catch {
		return undefined;
	}
}

function psTable(): string {
	return psSync('-axEww', '-o', 'pid=,ppid=,pgid=,tty=,command=');
}

/**
 * @param table lines of `pid ppid pgid tty command`, each with the environment behind the command. Exported for tests on other platforms than
 * macOS.
 */
export function fromPs(env: Lineage['env'], table: string, self = process.pid): Lineage {
	const entries = entriesOf(table);
	const own = entries.get(self);
	let isOrphan = own !== undefined && isAdopted(self, own);
	const ancestors: Ancestor[] = [];
	for (let pid = own?.parent ?? 0; pid > 0 && ancestors.length < DEEPEST;) {
		const entry = entries.get(pid);
		const found = inPs(pid, entry);
		if (!entry || !found) break;
		// Above the terminal of the caller, that is so on many desktops.
		isOrphan ||= entry.terminal === own?.terminal && isAdopted(pid, entry);
		ancestors.push(found);
		pid = entry.parent;
	}
	return { env, folder: process.cwd(), ancestors, isOrphan };
}

/** A program that launchd starts leads its group. Another one below launchd was left by its starter. */
function isAdopted(pid: number, { parent, group }: PsEntry): boolean {
	return parent === 1 && group !== pid;
}

interface PsEntry {
	parent: number;
	group: number;
	terminal: string;
	words: string[];
}

function entriesOf(table: string): Map<number, PsEntry> {
	return new Map(
		table.split('\n').flatMap(line => {
			const [, pid, parent, group, terminal, command] =
				/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
			if (terminal === undefined || command === undefined) return [];
			return [
				[
					Number(pid),
					{ parent: Number(parent), group: Number(group), terminal, words: command.split(' ') },
				] as const,
			];
		}),
	);
}

function inPs(pid: number, entry: PsEntry | undefined): Ancestor | undefined {
	if (!entry) return undefined;
	const variables = entry.words.flatMap(word => /^([A-Za-z_]\w*)=(.*)$/.exec(word)?.slice(1, 3) ?? []);
	return {
		pid,
		startedTicks: 0,
		env: Object.fromEntries(pairs(variables)),
		executable: entry.words[0],
		args: entry.words.slice(0, 8),
		folder: undefined,
	};
}

function pairs(words: readonly string[]): [string, string][] {
	return words.flatMap((name, index) => (index % 2 === 0 ? [[name, words[index + 1] ?? '']] : []));
}
