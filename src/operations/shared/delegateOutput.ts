import type { Delegate } from '../../core/delegates/delegate.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import type { DelegateOutput } from '../../protocol/output/delegates.ts';

/** @param delegate as the user's sealed records have it: see `reportable` */
export function delegateOutput({
	record,
	status,
	state,
	error,
	files,
	isUnproved,
	unseenSince,
	waitsInQueue,
}: Delegate): DelegateOutput {
	const { worktree, other_branches: others = [] } = status;
	return {
		id: record.id,
		title: record.title,
		status: state,
		...(error !== undefined && { error }),
		...(isUnproved && { isUnproved }),
		agent: record.agent,
		...(record.on !== undefined && { on: record.on }),
		...(record.isolate !== undefined && { isolate: record.isolate }),
		...(state === 'queued' && status.waits_for !== undefined && { waitsFor: status.waits_for }),
		...(waitsInQueue !== undefined && { waitsInQueue }),
		...(unseenSince !== undefined && { notSeenSince: unseenSince }),
		model: status.model ?? record.model,
		worker: mailboxName(record),
		createdAt: record.createdAt,
		startedAt: status.started_at,
		endedAt: status.ended_at,
		parkedUntil: status.parked_until,
		toolCalls: status.tool_calls,
		lastTool: status.last_tool,
		lastFile: status.last_file,
		iteration: status.iteration,
		denied: status.denied,
		inputTokens: status.input_tokens,
		outputTokens: status.output_tokens,
		costUsd: status.cost_usd,
		...(worktree && { worktree: worktree.folder, branch: worktree.branch }),
		...(others.length > 0 && { otherBranches: others }),
		output: files.output,
		log: files.log,
	};
}
