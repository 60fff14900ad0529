import { permit, type UseCase } from '../core/asker/permit.ts';
import type { Delegates } from '../core/delegates/delegates.ts';
import type { DelegateId, DelegateRecord } from '../protocol/delegate.ts';
import type { Context } from './command.ts';
import { ownAddress } from './place.ts';

type DelegateUse = Extract<UseCase['is'], 'stop-delegate' | 'delete-delegate' | 'resume-delegates'>;

/** Its ticket names the asker. Anybody may have written the record below `.nancy`. */
export async function permitDelegate(
	is: DelegateUse,
	store: Delegates,
	id: DelegateId | undefined,
	context: Context,
): Promise<void> {
	if (context.asker.is === 'human') return;
	const [{ ownRequest }, { ticketsOf }] = await Promise.all([
		import('../core/delegates/ownRequest.ts'),
		import('./queue.ts'),
	]);
	const request = id && (await ownRequest(store, ticketsOf(context, store.workspace), id));
	permitOwn(is, id ?? 'all delegates', request?.record, context);
}

export function permitOwn(
	is: DelegateUse,
	what: string,
	request: DelegateRecord | undefined,
	{ asker }: Context,
): void {
	const own = ownAddress(asker);
	const by = request?.askedBy?.is === 'agent' ? request.askedBy.worker : undefined;
	permit(asker, { is, what, isOwn: own !== undefined && by?.task === own.task && by.worker === own.worker });
}
