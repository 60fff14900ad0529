import type { Delegate, Delegates } from './delegates.ts';
import type { Tickets } from './tickets.ts';

/**
 * A delegate as it stands where this user queued it. Where its files were changed since, or moved, it is marked as that: whoever
 * waits for it learns that nothing comes. One that was never queued here has no message, for the record that came along with a
 * repository names an agent that would take it for an answer.
 */
export async function reportable(delegates: Delegates, tickets: Tickets, delegate: Delegate): Promise<Delegate> {
	const { id } = delegate.record;
	if (await tickets.isValid(id, delegates.filesOfRequest(id))) return delegate;
	if (await tickets.has(id)) return { ...delegate, isChanged: true };
	const { report: _message, ...status } = delegate.status;
	return { ...delegate, status };
}
