import type { RateLimit } from '../../core/driver/transcript.ts';
import type { TaskView } from '../../core/live/overview.ts';
import { sumUse, type Use } from '../../core/budgets/use.ts';

interface UseOfAgent {
	/** Its driver. */
	agent: string;
	use: Use;
	/** As its account's service last reported them. */
	limits: readonly RateLimit[];
}

/** What each agent has taken in open tasks in which one was active today, by the reader's clock. In the order of the tasks. */
export function usesOfToday(tasks: readonly TaskView[], nowMs: number = Date.now()): UseOfAgent[] {
	const today = new Date(nowMs).toDateString();
	const isOfToday = ({ workers }: TaskView) =>
		workers.some(({ state }) => new Date(state.at).toDateString() === today);
	const found = new Map<string, UseOfAgent & { limitsAt: string }>();
	for (const task of tasks) {
		if (task.record.archivedAt !== undefined || !isOfToday(task)) continue;
		for (const { record, use, facts, state } of task.workers) {
			if (!use) continue;
			const known = found.get(record.agent);
			const told = facts && facts.limits.length > 0 && state.at >= (known?.limitsAt ?? '') ? facts : undefined;
			found.set(record.agent, {
				agent: record.agent,
				use: sumUse([known?.use, use]) ?? use,
				limits: told?.limits ?? known?.limits ?? [],
				limitsAt: told ? state.at : (known?.limitsAt ?? ''),
			});
		}
	}
	return [...found.values()];
}
