import { readFileSync } from 'node:fs';
import { TALKED_WITH } from '../core/driver/stdio.ts';
import type { Call } from './call.ts';

/**
 * Whether a person is at this agent, in a terminal of Nancy's own program. That program has started it. What the agent starts inherits the
 * variable too, and is the child of another process.
 */
export async function isTalkedWith({ agent, env }: Pick<Call, 'agent' | 'env'>): Promise<boolean> {
	const talker = env[TALKED_WITH];
	return talker !== undefined && agent !== undefined && (await parentOf(agent.pid)) === talker;
}

/** The pid of a process's parent; `undefined` once it has ended. */
async function parentOf(pid: number): Promise<string | undefined> {
	try {
		if (process.platform === 'linux')
			return /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
		const { psSync } = await import('../process/ps.ts'); // brings node:child_process, which would stay in memory
		return psSync('-o', 'ppid=', '-p', String(pid)).trim();
	} catch {
		return undefined;
	}
}
