import { readFileSync } from 'node:fs';
import { hasErrno } from './errors.ts';
import { ownMachine, whereIs, type MachineId } from './machine.ts';

export type Liveness = 'alive' | 'dead' | 'unknown';

/** A process, told apart from a later one with the same pid. */
export interface ProcessIdentity {
	/** The machine on which the pid is valid. Absent in records of earlier versions, which are of this machine. */
	machine?: MachineId | undefined;
	pid: number;
	/**
	 * Start time in clock ticks since boot (Linux, /proc/<pid>/stat field 22). 0 if it is unreadable; {@link ENDED} if the process had
	 * already ended.
	 */
	startedTicks: number;
}

/** No process has this start time, so a later process with the same pid never matches. */
export const ENDED = -1;

export function identify(pid: number): ProcessIdentity {
	const machine = ownMachine();
	return { ...(machine !== undefined && { machine }), pid, startedTicks: startTicks(pid) ?? 0 };
}

let own: ProcessIdentity | undefined;

/** {@link identify} of this process, looked up once. */
export function ownIdentity(): ProcessIdentity {
	if (own) return own;
	const now = identify(process.pid);
	// Of one that could not be read now, everybody would take the process for dead.
	if (now.startedTicks > 0 || process.platform !== 'linux') own = now;
	return now;
}

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
	const placeOf = ({ machine }: ProcessIdentity) => (whereIs(machine) === 'here' ? ownMachine() : machine);
	return a.pid === b.pid && a.startedTicks === b.startedTicks && placeOf(a) === placeOf(b);
}

/** A process in a file's name: `<pid>-<start ticks>`, or `<pid>@<machine>-<start ticks>`. */
export function processWord({ machine, pid, startedTicks }: ProcessIdentity): string {
	return `${pid}${machine === undefined ? '' : `@${machine}`}-${startedTicks}`;
}

/** The beginning of a pattern for the output of {@link processWord}, also of earlier versions. Its groups are pid, machine and ticks. */
export const PROCESS_WORD = String.raw`(?<pid>\d+)(?:@(?<machine>[0-9a-z.]+))?-(?<ticks>\d+)`;

/** By the groups of {@link PROCESS_WORD}. */
export function processOf({ pid, machine, ticks }: Record<string, string | undefined>): ProcessIdentity {
	return { ...(machine !== undefined && { machine }), pid: Number(pid), startedTicks: Number(ticks) };
}

/**
 * Whether this very process still runs. EPERM means that it does and belongs to somebody else. `unknown` is a process of another machine;
 * core/files/leases may know more, and the caller decides.
 */
export function liveness({ machine, pid, startedTicks }: ProcessIdentity): Liveness {
	if (!Number.isSafeInteger(pid) || pid <= 0 || startedTicks < 0) return 'dead';
	const where = whereIs(machine);
	if (where !== 'here') return where === 'elsewhere' ? 'unknown' : 'dead';
	// On this platform every living process has a readable start. So this process had ended already, and the pid may now belong to another.
	if (startedTicks === 0 && process.platform === 'linux') return 'dead';
	try {
		process.kill(pid, 0);
	} catch (error) {
		if (hasErrno(error, 'ESRCH')) return 'dead';
		if (!hasErrno(error, 'EPERM')) return 'unknown';
	}
	if (startedTicks === 0) return 'alive';
	const now = startTicks(pid);
	if (now === undefined) return 'alive';
	return now === startedTicks ? 'alive' : 'dead';
}

function startTicks(pid: number): number | undefined {
	if (process.platform !== 'linux') return undefined;
	let stat: string;
	try {
		stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	} catch {
		return undefined; // gone, or no /proc: the caller falls back to the pid alone
	}
	// The command name may hold spaces and parentheses: fields count from the last ")". A zombie has ended.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	if (fields[0] === 'Z') return ENDED;
	const ticks = Number(fields[19]);
	return Number.isFinite(ticks) ? ticks : undefined;
}
