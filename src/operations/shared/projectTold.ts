import { setTimeout as sleep } from 'node:timers/promises';
import type { Compiled } from '../../core/memory/compile.ts';
import type { ProjectMemory } from '../../core/memory/memory.ts';
import type { MemoryPlace } from '../../core/memory/state.ts';
import { readTraffic } from '../../core/traffic/store.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { ProjectName } from '../../protocol/memoryNames.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';
import { withCollector } from './collecting.ts';

/** How long the hooks of an agent that has ended are waited for, in milliseconds. */
const LATE_MS = 3000;
const STEP_MS = 50;

export const NOTHING_TOLD: Compiled = { text: '', told: [], tokens: 0 };

/**
 * What is told before the prompt: everything if no hooks tell it, and nothing twice.
 * @param since the first task of the present session; nothing of it is told without
 */
export async function toldBeforePrompt(
	memory: ProjectMemory,
	place: MemoryPlace,
	{ project, prompt, since }: { project: ProjectName; prompt: string; since: number | undefined },
	{ tells, isGoingOn }: { tells: boolean; isGoingOn: boolean },
): Promise<Compiled> {
	if (!tells) return isGoingOn ? NOTHING_TOLD : memory.context(project, place, prompt, since);
	return since === undefined ? NOTHING_TOLD : memory.sessionSoFar(project, since);
}

/**
 * What the hooks of sessions have reported since this task began: a conversation that is continued has records of earlier tasks. Some
 * hooks run on after their agent has ended, and another window may collect.
 */
export async function recordsOf(
	workspace: Workspace,
	sessions: readonly SessionId[],
	{ beganAt, endedMs }: { beganAt: string; endedMs: number },
): Promise<TrafficRecord[]> {
	return withCollector(workspace, async collect => {
		for (;;) {
			await collect();
			const all = await Promise.all(sessions.map(session => readTraffic(workspace.paths, session)));
			const records = all.flat().filter(({ at }) => at >= beganAt);
			const isWhole = records.some(each => each.type === 'event' && each.event.kind === 'session-end');
			if (isWhole || Date.now() > endedMs + LATE_MS) return records;
			await sleep(STEP_MS);
		}
	});
}
