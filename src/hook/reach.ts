import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isInside } from '../base/inside.ts';
import type { ProcessIdentity } from '../base/liveness.ts';
import { realOr, realPlace } from '../base/realPath.ts';
import type { Asking } from '../core/driver/asking.ts';
import type { HookCall } from '../core/driver/hooks.ts';

/**
 * Answers are safe where agents cannot write unasked. An agent may write below its workspace, the temporary folder and the folders that it
 * was given besides.
 * @param desk the folder of questions and answers, which need not exist
 * @returns the first of these folders that contains the desk; `undefined` if none does
 */
export async function reachOf(
	asking: Asking,
	call: HookCall,
	{ workspaceFolder, desk, agent }: { workspaceFolder: string; desk: string; agent: ProcessIdentity | undefined },
): Promise<string | undefined> {
	const added = await asking.addedFolders(call, workspaceFolder, agent ? await argumentsOf(agent) : []);
	const place = realPlace(desk);
	return [workspaceFolder, tmpdir(), ...added].find(folder => isInside(realOr(folder), place));
}

/** The arguments of the agent's process. Where `ps` tells them, words with spaces fall apart; Windows tells nothing. */
async function argumentsOf({ pid }: ProcessIdentity): Promise<string[]> {
	try {
		if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
		if (process.platform === 'darwin') {
			const { psSync } = await import('../process/ps.ts'); // brings node:child_process, which would stay in memory
			return psSync('-ww', '-o', 'command=', '-p', String(pid)).trim().split(' ');
		}
	} catch {
		// It has ended.
	}
	return [];
}
