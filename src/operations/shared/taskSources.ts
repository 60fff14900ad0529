import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from '../../core/driver/driver.ts';
import type { Said } from '../../core/memory/digest.ts';
import { sessionBinding } from '../../core/sessions/bindings.ts';
import { saidSince } from '../../core/sessions/recordSearch.ts';
import { TrafficFollower } from '../../core/traffic/store.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';
import { withCollector } from './collecting.ts';

/** How long the hooks of an agent that has ended are waited for, in milliseconds. */
const LATE_MS = 3000;
const STEP_MS = 50;
/** The most messages of a mailbox that are looked at: a task has fewer. */
const MOST_MESSAGES = 200;

/**
 * What the hooks of sessions have reported since this task began: a conversation that is continued has records of earlier tasks. Some
 * hooks run on after their agent has ended, and another window may collect.
 */
export async function recordsOf(
	workspace: Workspace,
	sessions: readonly SessionId[],
	{ beganAt, endedMs }: { beganAt: string; endedMs: number },
): Promise<TrafficRecord[]> {
	const followers = [...new Set(sessions)].map(session => new TrafficFollower(workspace.paths, session));
	const records: TrafficRecord[] = [];
	return withCollector(workspace, async collect => {
		for (;;) {
			await collect();
			for (const follower of followers)
				for (const record of await follower.next()) if (record.at >= beganAt) records.push(record);
			const isWhole = records.some(each => each.type === 'event' && each.event.kind === 'session-end');
			if (isWhole || Date.now() > endedMs + LATE_MS) return records;
			await sleep(STEP_MS);
		}
	});
}

/** What its user has sent an agent since this time, by the seals of the mailbox that its last session is bound to. */
export async function steeringOf(workspace: Workspace, sessions: readonly SessionId[], since: string): Promise<Said[]> {
	const last = sessions.at(-1);
	const bound = last && (await sessionBinding(workspace, last).catch(() => undefined));
	if (!bound) return [];
	const { messages } = await workspace
		.mailbox(bound.address)
		.list(['delivered', 'archived'], { newest: MOST_MESSAGES })
		.catch(() => ({ messages: [] }));
	return messages
		.flatMap(({ author, content, receipt }) =>
			author.is === 'human' && receipt && sessions.includes(receipt.session) && receipt.deliveredAt >= since
				? { at: receipt.deliveredAt, text: content.text }
				: [],
		)
		.toReversed();
}

/** What the agent has said by its own record, as far as its events do not tell. */
export async function answersOf(
	{ transcript }: Driver,
	records: readonly TrafficRecord[],
	since: string,
): Promise<readonly Said[]> {
	const files = records.flatMap(each => (each.type === 'event' ? (each.event.transcript ?? []) : []));
	const file = files.at(-1);
	return transcript === 'none' || file === undefined ? [] : saidSince(since, file, transcript);
}
