import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { DelegateOperations, Folder } from '../ports.ts';

/** Throws for a delegate that came with other people's files. The user has chosen neither its prompt nor its permissions. */
export async function requireOwn(delegates: DelegateOperations, folder: Folder, id: DelegateId): Promise<void> {
	if (await delegates.isOwn(folder, id)) return;
	throw new NancyError(
		'not-trusted',
		l10n.t('You did not start this delegate on this machine. Delegate anew instead.'),
	);
}
