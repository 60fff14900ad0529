import type { Delegate, Delegates } from './delegates.ts';
import type { Tickets } from './tickets.ts';

/**
 * A delegate as it stands where this user queued it; any other one without the message of its result, for the record that came
 * along with a repository names an agent that would take it for an answer.
 */
export async function reportable(delegates: Delegates, tickets: Tickets, delegate: Delegate): Promise<Delegate> {
	const { id } = delegate.record;
	if (await tickets.isValid(id, delegates.filesOfRequest(id))) return delegate;
	const { report: _message, ...status } = delegate.status;
	return { ...delegate, status };
}
