import type { Asker } from '../../core/asker/asker.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import { permit, type UseCase } from '../../core/asker/permit.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { ownRequest } from '../../core/delegates/ownRequest.ts';
import type { DelegateId, DelegateRecord } from '../../protocol/delegate.ts';
import type { OperationContext } from '../operation.ts';
import { ticketsOf } from './ticketsOf.ts';

type DelegateUse = Extract<UseCase['is'], 'stop-delegate' | 'delete-delegate' | 'resume-delegates'>;

/** Its ticket names the asker. Anybody may have written the record below `.nancy`. */
export async function permitDelegate(
	is: DelegateUse,
	id: DelegateId | undefined,
	asker: Asker,
	context: Pick<OperationContext, 'dataFolder' | 'workspace'>,
): Promise<void> {
	if (asker.is === 'human') return permitOwn(is, id ?? 'all delegates', undefined, asker);
	const request = id && (await ownRequest(new Delegates(context.workspace), ticketsOf(context), id));
	permitOwn(is, id ?? 'all delegates', request?.record, asker);
}

export function permitOwn(is: DelegateUse, what: string, request: DelegateRecord | undefined, asker: Asker): void {
	const own = ownAddress(asker);
	const by = request?.askedBy?.is === 'agent' ? request.askedBy.worker : undefined;
	permit(asker, { is, what, isOwn: own !== undefined && by?.task === own.task && by.worker === own.worker });
}
