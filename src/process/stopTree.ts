import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { identify, liveness, type ProcessIdentity } from '../base/liveness.ts';
import { descendantsOf, processTable, type ProcessEntry } from './processTable.ts';
import { signal } from './signal.ts';

/** `stopped`: it ended when asked. `killed`: it, or one of its children, had to be killed. */
export type StopOutcome = 'stopped' | 'killed' | 'not-running';

const CHECK_EVERY_MS = 50;

/**
 * Ends a process and everything below it: asks with SIGTERM, and kills the remaining ones after `graceMs`. Agents run their tools in
 * sessions of their own, which a signal to the agent's group does not reach. So the children are noted beforehand.
 */
export async function stopTree(root: ProcessIdentity, graceMs = 3000): Promise<StopOutcome> {
	if (liveness(root) !== 'alive' || root.pid <= 1 || root.pid === process.pid) return 'not-running';
	if (process.platform === 'win32') return stopOnWindows(root);
	const table = await processTable();
	const members = withIdentity([root.pid, ...descendantsOf(root.pid, table)]);
	ask(root.pid, table);
	await untilGone(members, graceMs);
	if (members.every(isGone)) return 'stopped';
	// What they have started since the request belongs to it as well. The first one may be gone, and its number another's.
	const left = members.filter(member => !isGone(member));
	const since = await processTable();
	const late = withIdentity(left.flatMap(({ pid }) => descendantsOf(pid, since)));
	const survivors = [...left, ...late].filter(member => !isGone(member));
	for (const { pid } of survivors) signal(pid, 'SIGKILL');
	await untilGone(survivors, graceMs);
	return 'killed';
}

/**
 * {@link stopTree} for a caller that waits for the end of a child of its own, which leads a group: if nobody can list the processes now,
 * that group is killed.
 */
export async function stopGroup(leader: ProcessIdentity): Promise<void> {
	await stopTree(leader).catch(() => signal(-leader.pid, 'SIGKILL'));
}

/** The agent's whole group if the agent leads it. A group with another leader (a shell script, an editor) must not be ended. */
function ask(pid: number, table: ReadonlyMap<number, ProcessEntry>): void {
	const leads = table.get(pid)?.group === pid && table.get(process.pid)?.group !== pid;
	const target = leads ? -pid : pid;
	signal(target, 'SIGTERM');
	// A suspended process (Ctrl+Z) gets no signal before it continues.
	signal(target, 'SIGCONT');
}

/** The caller may itself run below the agent it stops (`nancy stop` in a tool call): it is left out. */
function withIdentity(pids: readonly number[]): ProcessIdentity[] {
	return pids.filter(pid => pid !== process.pid).map(identify);
}

async function untilGone(members: readonly ProcessIdentity[], limitMs: number): Promise<void> {
	const deadline = Date.now() + limitMs;
	while (!members.every(isGone) && Date.now() < deadline) await sleep(CHECK_EVERY_MS);
}

function isGone(member: ProcessIdentity): boolean {
	return liveness(member) === 'dead';
}

/** Windows has no such signals for a console program, so the tree is ended at once. */
async function stopOnWindows({ pid }: ProcessIdentity): Promise<StopOutcome> {
	await promisify(execFile)('taskkill', ['/PID', String(pid), '/T', '/F']);
	return 'killed';
}
