import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, liveness, type ProcessIdentity } from '../base/liveness.ts';
import { ps } from './ps.ts';
import { signal } from './signal.ts';

/** The environment variable that marks everything a run starts. */
export const RUN_MARK = 'NANCY_RUN';

/**
 * The same for the process that owns a run. Its children do not have {@link RUN_MARK} before they have become another program. If the run
 * is killed in that moment, only this mark finds such a child.
 */
export const RUNNER_MARK = 'NANCY_RUNNER';

const LOOK_EVERY_MS = 20;
const LOOKS_IN_VAIN = 2;
/** A process that cannot even be killed is waiting for a disk or a debugger. */
const STUBBORN_MS = 2000;

/** Between the marks of a run and of one inside it. */
const WITHIN = ',';

/** The value of {@link RUN_MARK} for a run that this process starts. Inside another run, it belongs to that one as well. */
export function markWithin(mark: string, env: NodeJS.ProcessEnv = process.env): string {
	const outer = env[RUN_MARK];
	return outer === undefined || outer === '' ? mark : `${outer}${WITHIN}${mark}`;
}

/**
 * Processes whose environment has this variable with this value, alone or among others. That is everything that a run has started, even
 * outside its group and without its parent. A process with a different environment is not found.
 */
export async function markedProcesses(name: string, value: string): Promise<ProcessIdentity[]> {
	const isMarked = (entry: string) =>
		entry.startsWith(`${name}=`) &&
		(entry === `${name}=${value}` ||
			entry
				.slice(name.length + 1)
				.split(WITHIN)
				.includes(value));
	const pids = process.platform === 'linux' ? fromProc(`${name}=`, isMarked) : await fromPs(isMarked);
	return pids.filter(pid => pid !== process.pid).map(identify);
}

/**
 * Ends them: asks, then kills the remaining ones after `graceMs`. Looks again, because a process that was asked may just have started
 * another. Looks twice if there are none, because a process that is just becoming another program shows no environment.
 */
export async function stopMarked(name: string, value: string, graceMs = 1000): Promise<void> {
	const asked = new Set<number>();
	let looksInVain = 0;
	const killsFrom = Date.now() + graceMs;
	// The machine may sleep in between.
	let killedSince = Infinity;
	while (Date.now() < killedSince + STUBBORN_MS) {
		const left = (await markedProcesses(name, value)).filter(each => liveness(each) !== 'dead');
		looksInVain = left.length === 0 ? looksInVain + 1 : 0;
		if (looksInVain === LOOKS_IN_VAIN) return;
		const isPatient = Date.now() < killsFrom;
		if (!isPatient) killedSince = Math.min(killedSince, Date.now());
		for (const { pid } of left) {
			if (!isPatient) signal(pid, 'SIGKILL');
			else if (!asked.has(pid)) signal(pid, 'SIGTERM');
			asked.add(pid);
		}
		await sleep(LOOK_EVERY_MS);
	}
}

/** @param mark what every marked entry holds: most environments are passed over by it, undivided */
function fromProc(mark: string, isMarked: (entry: string) => boolean): number[] {
	return readdirSync('/proc').flatMap(name => {
		const pid = Number(name);
		if (!Number.isInteger(pid)) return [];
		try {
			const environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
			return environ.includes(mark) && environ.split('\0').some(isMarked) ? [pid] : [];
		} catch {
			return []; // ended while we looked, or somebody else's
		}
	});
}

/** macOS shows the environment of the user's own processes behind the command. */
async function fromPs(isMarked: (entry: string) => boolean): Promise<number[]> {
	return (await ps('-axEww', '-o', 'pid=,command=')).split('\n').flatMap(line => {
		const pid = Number(line.trim().split(/\s+/, 1)[0]);
		return Number.isInteger(pid) && line.split(' ').some(isMarked) ? [pid] : [];
	});
}
