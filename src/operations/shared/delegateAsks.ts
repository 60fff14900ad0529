import type { Asker } from '../../core/asker/asker.ts';
import type { Delegate } from '../../core/delegates/delegate.ts';
import { Questions } from '../../core/questions/questions.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { DelegateOutput } from '../../protocol/output/delegates.ts';

/** What a running delegate asks its user, by the user's own records. An agent learns that it asks, and never what. */
export async function delegateAsks(
	asker: Asker,
	{ own }: Workspace,
	{ record, state }: Delegate,
): Promise<Pick<DelegateOutput, 'asks'>> {
	const questions = state === 'running' ? await new Questions(own).ofDelegate(record.id) : [];
	if (questions.length === 0) return {};
	return { asks: questions.map(({ kind, title }) => ({ kind, ...(asker.is === 'human' && { title }) })) };
}
