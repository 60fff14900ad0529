import { visible, visibleLine } from '../../base/visible.ts';
import type { DeskDelegate, FolderId } from '../../protocol/deskState.ts';
import type { Delegate } from '../delegates/delegate.ts';
import { worktreeOf } from '../delegates/inWorktree.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import { LINE } from './deskTexts.ts';

/**
 * A delegate as pages show it.
 * @param all the delegates of its folder
 */
export function deskDelegate(
	folder: FolderId,
	delegate: Delegate,
	all: readonly Delegate[],
	words: { agentName(driver: string): string; withoutPaths(text: string): string },
): DeskDelegate {
	const line = (text: string) => visibleLine(words.withoutPaths(text), LINE);
	const {
		record,
		status,
		state,
		error,
		asks = [],
		isStoppedByUser,
		isUnproved,
		isChanged,
		unseenSince,
		waitsInQueue,
	} = delegate;
	const { input_tokens: input, output_tokens: output } = status;
	return {
		key: `${folder}/${record.id}`,
		folder,
		id: record.id,
		title: visibleLine(record.title, LINE),
		agent: record.agent,
		agentName: words.agentName(record.agent),
		mailbox: mailboxName(record),
		state,
		...(error !== undefined && { error: visible(words.withoutPaths(error)) }),
		...(isStoppedByUser && { isStopped: true }),
		...((isUnproved || isChanged) && { isUnproved: true }),
		createdAt: record.createdAt,
		...defined({
			model: record.model && visibleLine(record.model, LINE),
			startedAt: status.started_at,
			endedAt: status.ended_at,
			parkedUntil: status.parked_until,
			lastActivity: status.last_activity,
			lastTool: status.last_tool && visibleLine(status.last_tool, LINE),
			lastFile: status.last_file && line(status.last_file),
			tokens: input === undefined ? undefined : { input, output: output ?? 0 },
			costUsd: status.cost_usd,
			branch: status.worktree && visibleLine(status.worktree.branch, LINE),
			on: record.on,
			unseenSince,
			waitsInQueue: waitsInQueue && line(waitsInQueue),
		}),
		toolCalls: status.tool_calls,
		iteration: status.iteration,
		denied: status.denied.map(each => line(each)),
		asks: asks.map(each => visibleLine(each, LINE)),
		...(worktreeOf(delegate, all) && { hasChanges: true }),
	};
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(value: T): Defined<T>;
function defined(value: object): object {
	return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}
