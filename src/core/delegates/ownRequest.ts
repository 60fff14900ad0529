import { DelegateRecord, type DelegateId } from '../../protocol/delegate.ts';
import type { Delegates } from './delegates.ts';
import type { Tickets } from './tickets.ts';

/**
 * The request of this user on this machine: the very bytes that the ticket covers, however the files change meanwhile. `undefined` without
 * a ticket for them.
 */
export async function ownRequest(
	delegates: Delegates,
	tickets: Tickets,
	id: DelegateId,
): Promise<{ record: DelegateRecord; prompt: string; contents: readonly string[] } | undefined> {
	const contents = await tickets.read(id, delegates.filesOfRequest(id));
	const [text, prompt] = contents ?? [];
	if (!contents || text === undefined || prompt === undefined) return undefined;
	return { record: DelegateRecord.parse(JSON.parse(text)), prompt, contents };
}
